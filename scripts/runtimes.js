/**
 * Makes sends that meet faults, and a read, on the current runtime. Its argument is JSON: the address of the
 * server, the address where nothing listens, and the faults, which the texts of the SMS name.
 */
import { createClient, isSendSmsRejection } from "@messaging-topup/core/promise"

const token = "token-of-the-check"

/** A worker does not say how much memory it takes. */
const rss = () => globalThis.process?.memoryUsage?.().rss ?? 0

/** Returns the outcome of each send, by the text of the SMS. */
export const scenario = async ({ baseUrl, refusingUrl, faults }) => {
  const client = createClient({ baseUrl, token, timeout: 2000 })
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
  await send(refused, "refused")
  const { fetch } = globalThis
  globalThis.fetch = (input, init) => fetch(input, init)
  await send(refused, "replaced")
  globalThis.fetch = fetch
  const before = rss()
  const error = await client.listDataBundles({ query: { zstd: "yes" } }).catch(({ _tag }) => _tag)
  outcomes.zstd = { error, isBounded: rss() - before < 300e6 }
  // oxlint-disable no-await-in-loop -- each send uses the connection of the one before
  for (const fault of faults) {
    // Leaves a connection, which the next send uses.
    const { category } = await client.listDataBundles()
    outcomes.bundles = category.length
    await send(client, "accepted")
    await send(client, fault)
  }
  await client.close()
  return outcomes
}

// A worker imports this module, and has no arguments.
const [, , argument] = globalThis.process?.argv ?? []
if (argument !== undefined) console.log(JSON.stringify(await scenario(JSON.parse(argument))))
