import { createClient } from "@messaging-topup/core/promise"
import process, { argv, env } from "node:process"
import { setTimeout } from "node:timers/promises"

const [, , messageId = "", finalStatus = ""] = argv

const client = createClient({
  baseUrl: env["MESSAGING_TOPUP_BASE_URL"] ?? "http://127.0.0.1:8080",
  token: env["MESSAGING_TOPUP_TOKEN"] ?? "secret"
})

const signal = AbortSignal.timeout(5000)
try {
  let status: string | undefined
  while (status !== finalStatus && !signal.aborted) {
    if (status !== undefined) await setTimeout(100)
    const { data } = await client.getSmsStatus(messageId, { signal })
    status = data[0]?.status ?? "none"
  }
  console.log(status === finalStatus ? "final:" : "not yet:", status)
  if (status !== finalStatus) process.exitCode = 1
} finally {
  await client.close()
}
