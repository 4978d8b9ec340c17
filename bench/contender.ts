/**
 * Runs one client in its own process: `contender.ts <name> <url> <time-out in ms>`. It executes each
 * command of the parent, and replies with the cost or the outcome.
 */
import { serveParent } from "./child.ts"
import { clientOf, clients, type Load, type Operation } from "./clients.ts"
import { timed } from "./measure.ts"

const [name = "", url = "", timeoutMillis = ""] = process.argv.slice(2)

const otherClient = async () => {
  const { clients: others } = await import("./comparison/clients.js")
  const sendSms = await others[name]?.connect(url, Number(timeoutMillis))
  if (sendSms === undefined) throw new Error(`There is no client ${name}`)
  return clientOf({ sendSms })
}

const client = await (clients.get(name)?.(url, Number(timeoutMillis)) ?? otherClient())

serveParent((message) => {
  if (message === "send") return client.send()
  const { operation, ...load } = message as Load & { readonly operation: Operation }
  return timed(() => client.run(operation, load))
})
