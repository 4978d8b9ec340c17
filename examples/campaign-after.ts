/** `node campaign-after.ts DELIVERED FAILED`: reads the status of each SMS. The arguments are the final statuses. */
import { Campaign } from "@messaging-topup/campaign"
import { layerConfig } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { SendJournal } from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import process, { argv } from "node:process"

const isFinal = (status: string) => argv.slice(2).includes(status)

const program = Effect.gen(function* () {
  const asked = yield* Campaign.reconcile("spring-sale", { isFinal, readsPerSecond: 20 })
  yield* Console.log(asked)
  yield* Stream.runForEach(Campaign.results("spring-sale"), ({ key, state, status = "" }) =>
    Console.log(key, state, status)
  )
  // The journal forgets deleted keys: if they are loaded again, they are sent again.
  const journal = yield* SendJournal
  yield* journal.prune(Duration.days(90), "settled")
})

const services = Layer.merge(
  Layer.provide(layerConfig, NodeTransport.layer),
  Sqlite.layer("journal.db")
)

await program.pipe(
  Effect.provide(services),
  Effect.catch((error) => {
    process.exitCode = 1
    return Console.error(error.message)
  }),
  Effect.runPromise
)
