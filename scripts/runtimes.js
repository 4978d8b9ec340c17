/** Makes sends that meet faults, and a read, on the current runtime. The two addresses are its arguments. */
import { createClient, isSendSmsRejection } from "@messaging-topup/core/promise"

const token = "token-of-the-check"

/** Returns the outcome of each send, by the text of the SMS. */
export const scenario = async (baseUrl, refusingUrl) => {
  const client = createClient({ baseUrl, token, timeoutMillis: 2000 })
  const refused = createClient({ baseUrl: refusingUrl, token })
  const outcomes = {}
  const send = async (through, message) => {
    try {
      await through.sendSms({ recipient: "+15550100123", message })
      outcomes[message] = "sent"
    } catch (error) {
      outcomes[message] = isSendSmsRejection(error) ? error.sendOutcome : String(error)
    }
  }
  await send(client, "accepted")
  await send(client, "reset")
  await send(client, "500")
  await send(client, "silence")
  await send(refused, "refused")
  const { category } = await client.listDataBundles()
  outcomes.bundles = category.length
  await client.close()
  return outcomes
}

// A worker imports this module, and has no arguments.
const [, , ...addresses] = globalThis.process?.argv ?? []
if (addresses.length > 0) console.log(JSON.stringify(await scenario(...addresses)))
