/**
 * Runs one client in its own process: `contender.ts <name> <url> <time-out in ms>`. It executes the
 * command in each message, and replies with the cost or the outcome.
 */
import * as Schema from "effect/Schema"
import { makeClient, operations } from "./clients.ts"
import { timed } from "./measure.ts"

const Command = Schema.Union([
  Schema.Struct({
    operation: Schema.Literals(operations),
    calls: Schema.Int,
    workers: Schema.Int
  }),
  Schema.Literal("send")
])

const decode = Schema.decodeUnknownSync(Command)

const [name = "", url = "", timeoutMillis = ""] = process.argv.slice(2)
const client = await makeClient(name, url, Number(timeoutMillis))

const execute = async (command: typeof Command.Type): Promise<unknown> => {
  if (command === "send") return client.send()
  return timed(() => client.run(command.operation, command))
}

process.on("message", (message) => {
  void execute(decode(message)).then((result) => process.send?.(result))
})

process.on("disconnect", () => process.exit(0))

process.send?.("ready")
