const { createClient } = require("@messaging-topup/core/promise")
const process = require("node:process")

const client = createClient({
  baseUrl: process.env.MESSAGING_TOPUP_BASE_URL ?? "http://127.0.0.1:8080",
  token: process.env.MESSAGING_TOPUP_TOKEN ?? "secret"
})

const main = async () => {
  try {
    const request = { recipient: "+15550100123", message: "Your code is 4711" }
    const { data } = await client.sendSms(request)
    console.log("accepted:", data)
  } catch (error) {
    console.error(error.sendOutcome, error.message)
    process.exitCode = 1
  } finally {
    await client.close()
  }
}

void main()
