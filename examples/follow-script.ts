import { createClient } from "@messaging-topup/core/promise"
import process, { argv, env } from "node:process"

const [, , messageId = "", finalStatus = ""] = argv

const client = createClient({
  baseUrl: env["MESSAGING_TOPUP_BASE_URL"] ?? "http://127.0.0.1:8080",
  token: env["MESSAGING_TOPUP_TOKEN"] ?? "secret"
})

await client
  .awaitSmsStatus(messageId, {
    until: ({ status }) => status === finalStatus,
    intervalMillis: 100,
    timeoutMillis: 5_000
  })
  .then(({ status }) => console.log("final:", status))
  .catch((error) => {
    process.exitCode = 1
    console.log(error.name, error.lastRecord?.status ?? error.message)
  })
await client.close()
