/** Runs a sandbox with a few messages, and its inbox: `npx -y pnpm@12 sandbox`. */
import { startSandbox } from "@messaging-topup/sandbox/promise"
import { once } from "node:events"
import { buildInbox } from "./inbox.ts"

await buildInbox()

const token = "secret"
const port = Number(process.env["PORT"] ?? 8080)
const sandbox = await startSandbox({ port, token }).catch(({ message }: Error) => {
  console.error(`${message}. Set the variable PORT to another port.`)
  process.exit(1)
})

const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
const send = (sms: object) =>
  fetch(`${sandbox.baseUrl}/sms/send`, { method: "POST", headers, body: JSON.stringify(sms) })

await send({ recipient: "+15551230042", sender_id: "Trattoria", message: "Your table is ready." })
await send({ recipient: "+15551230177", message: "Your code is 4711. Tell it to nobody. 🔑" })
await send({
  recipient: "+15550000402",
  message: "This one is refused: the fictional number ends in 0402."
})

console.log(`The inbox is at ${sandbox.baseUrl}; nothing is really sent.
Send an SMS to it:

  curl ${sandbox.baseUrl}/sms/send -H "Authorization: Bearer ${token}" \\
    -H "Content-Type: application/json" -d '{"recipient":"+15551234567","message":"Hello"}'

Stop with Ctrl+C.`)
await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")])
await sandbox.close()
