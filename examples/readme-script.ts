import { createClient, isSendSmsRejection } from "@messaging-topup/core/promise"
import { env } from "node:process"

const client = createClient({
  baseUrl: env["MESSAGING_TOPUP_BASE_URL"] ?? "http://127.0.0.1:8080",
  token: env["MESSAGING_TOPUP_TOKEN"] ?? "secret"
})

await client
  .sendSms({ recipient: "+15550100123", message: "Your code is 4711" })
  .then(({ data }) => console.log("accepted:", data))
  .catch((error) => console.error(isSendSmsRejection(error) ? error.sendOutcome : error))
await client.close()
