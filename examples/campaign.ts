/** `node campaign.ts NUMBER…` sends each number one SMS, however often it runs. */
import { layerConfig } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { sendMany } from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import process, { argv } from "node:process"

const rows = Stream.fromIterable(argv.slice(2)).pipe(
  Stream.map((recipient) => ({ key: recipient, request: { recipient, message: "Open at 9" } }))
)

const program = Effect.gen(function* () {
  const result = yield* sendMany(rows, {
    campaign: "spring-sale",
    messagesPerSecond: 50,
    onEvent: (event) => Console.log(event)
  })
  yield* Console.log(result.rows)
})

const services = Layer.merge(
  Layer.provide(layerConfig, NodeTransport.layer),
  Sqlite.layer("journal.sqlite")
)

await program.pipe(
  Effect.provide(services),
  Effect.catch((error) => {
    process.exitCode = 1
    return Console.error(error.message)
  }),
  Effect.runPromise
)
