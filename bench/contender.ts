/**
 * Runs one client in its own process: `contender.ts <name> <url> <time-out in ms>`. It executes each
 * command of the parent, and replies with the cost or the outcome.
 */
import * as Schema from "effect/Schema"
import { serveParent } from "../scripts/child.ts"
import { clientOf, clients, operations } from "../scripts/clients.ts"
import { timed } from "./measure.ts"

const decode = Schema.decodeUnknownSync(
  Schema.Union([
    Schema.Struct({
      operation: Schema.Literals(operations),
      calls: Schema.Int,
      workers: Schema.Int
    }),
    Schema.Literal("send")
  ])
)

const [name = "", url = "", timeoutMillis = ""] = process.argv.slice(2)

const otherClient = async () => {
  const { clients: others } = await import("./comparison/clients.js")
  const calls = await others[name]?.(url, Number(timeoutMillis))
  if (calls === undefined) throw new Error(`There is no client ${name}`)
  return clientOf(calls)
}

const client = await (clients.get(name)?.(url, Number(timeoutMillis)) ?? otherClient())

serveParent((message) => {
  const command = decode(message)
  if (command === "send") return client.send()
  return timed(() => client.run(command.operation, command))
})
