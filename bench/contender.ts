/**
 * Runs one client in its own process: `contender.ts <name> <url> <time-out in ms>`. It executes each
 * command of the parent, and replies with the cost or the outcome.
 */
import * as Schema from "effect/Schema"
import { serveParent } from "./child.ts"
import { makeClient, operations } from "./clients.ts"
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
const client = await makeClient(name, url, Number(timeoutMillis))

serveParent((message) => {
  const command = decode(message)
  if (command === "send") return client.send()
  return timed(() => client.run(command.operation, command))
})
