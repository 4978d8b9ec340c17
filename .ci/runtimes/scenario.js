/**
 * One client on whatever runtime this is: sends that meet faults, and a read.
 */
import { createClient, isSendSmsRejection } from "@messaging-topup/core/promise"

const token = "token-of-the-check"

/** What a caller is told of each, by the text of the SMS. */
export const scenario = async (baseUrl, refusingUrl) => {
  const client = createClient({ baseUrl, token, timeoutMillis: 2000 })
  const refused = createClient({ baseUrl: refusingUrl, token })
  const told = {}
  const send = async (through, message) => {
    try {
      await through.sendSms({ recipient: "+15550100123", message })
      told[message] = "sent"
    } catch (error) {
      told[message] = isSendSmsRejection(error) ? error.sendOutcome : String(error)
    }
  }
  await send(client, "accepted")
  await send(client, "reset")
  await send(client, "500")
  await send(client, "silence")
  await send(refused, "refused")
  const { category } = await client.listDataBundles()
  told.bundles = category.length
  await client.close()
  return told
}
