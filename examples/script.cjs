const { createClient, isSafeToResend } = require("@messaging-topup/core/promise")
const process = require("node:process")

const { MESSAGING_TOPUP_BASE_URL: baseUrl, MESSAGING_TOPUP_TOKEN: token } = process.env
if (!baseUrl || !token) throw new Error("set MESSAGING_TOPUP_BASE_URL and MESSAGING_TOPUP_TOKEN")

const client = createClient({ baseUrl, token })

/** What the shell learns: 3 must not be repeated without a person. */
const exitCodes = { sent: 0, "not-sent": 1, unknown: 3 }

/** What to do after a failed send. No status says that: the error knows whether the SMS went out. */
const nextStep = (error) => {
  if (error.sendOutcome === "sent") return "do not send again"
  if (error.sendOutcome !== "not-sent") return "ask the recipient first"
  if (isSafeToResend(error)) return `send again in ${error.retryAfterSeconds ?? 60} s`
  if (error._tag === "PaymentRequired") return `pay, then send again: ${error.error.detail ?? ""}`
  return "correct the cause"
}

const main = async () => {
  try {
    const request = { recipient: process.argv[2] ?? "+15550100123", message: "Your code is 4711" }
    const { data } = await client.sendSms(request)
    console.log("accepted:", data)
  } catch (error) {
    console.error(error.sendOutcome, error.message)
    console.error(nextStep(error))
    // Of another error, it is not known either whether the SMS went out.
    process.exitCode = exitCodes[error.sendOutcome] ?? 3
  } finally {
    await client.close()
  }
}

void main()
