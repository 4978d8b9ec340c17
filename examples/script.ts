import { createClient, isSendSmsRejection } from "@messaging-topup/core/promise"
import process, { env } from "node:process"

/** What the shell learns: 3 must not be repeated without a person. */
const exitCodes = { sent: 0, "not-sent": 1, unknown: 3 }

const { MESSAGING_TOPUP_BASE_URL: baseUrl, MESSAGING_TOPUP_TOKEN: token } = env
if (!baseUrl || !token) throw new Error("set MESSAGING_TOPUP_BASE_URL and MESSAGING_TOPUP_TOKEN")

const client = createClient({ baseUrl, token })

try {
  const { data } = await client.sendSms({ recipient: "+15550100123", message: "Your code is 4711" })
  console.log("accepted:", data)
} catch (error) {
  // Of another error, it is not known either whether the SMS went out.
  const outcome = isSendSmsRejection(error) ? error.sendOutcome : "unknown"
  console.error(outcome, error instanceof Error ? error.message : error)
  process.exitCode = exitCodes[outcome]
} finally {
  await client.close()
}
