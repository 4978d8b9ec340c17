/**
 * One client, alone in this process: `contender.ts <name> <url> <time-out in ms>`. It does what each
 * message asks for and says what that took.
 */
import * as Schema from "effect/Schema"
import { makeClient, operations } from "./clients.ts"
import { timed } from "./measure.ts"

const Order = Schema.Union([
  Schema.Struct({
    operation: Schema.Literals(operations),
    calls: Schema.Int,
    workers: Schema.Int
  }),
  Schema.Literal("send")
])

const decode = Schema.decodeUnknownSync(Order)

const [name = "", url = "", timeoutMillis = ""] = process.argv.slice(2)
const client = await makeClient(name, url, Number(timeoutMillis))

const carryOut = async (order: typeof Order.Type): Promise<unknown> => {
  if (order === "send") return client.send()
  return timed(() => client.run(order.operation, order))
}

process.on("message", (order) => {
  void carryOut(decode(order)).then((result) => process.send?.(result))
})

process.on("disconnect", () => process.exit(0))

process.send?.("ready")
