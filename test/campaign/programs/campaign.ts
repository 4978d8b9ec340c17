import { Campaign } from "@messaging-topup/campaign"
import { layerConfig } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const rows = Stream.map(Stream.range(1, 100), (n) => ({
  key: `customer-${n}`,
  request: { recipient: `+1555${1_000_000 + n}7`, message: `Hello ${n}` }
}))

const services = Layer.merge(
  Layer.provide(layerConfig, NodeTransport.layer),
  Sqlite.layer("journal.sqlite")
)

/** No customer gets a second SMS, even if this program is killed and runs again. */
await Campaign.run("spring", rows, { messagesPerSecond: 500 }).pipe(
  Stream.runForEach((event) => Console.log(event)),
  Effect.provide(services),
  Effect.runPromise
)
