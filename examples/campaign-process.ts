/** Sends a campaign of 2,000 rows to the service of the environment: `campaign-process.ts <journal file>`. */
import { Campaign } from "@messaging-topup/campaign"
import { layerConfig } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { argv } from "node:process"

const [, , file = "campaign.sqlite"] = argv

const rows = Stream.map(Stream.range(0, 1999), (index) => ({
  key: `order ${index}`,
  request: { recipient: `+1555${1000 + index}7`, message: `Order ${index} is on its way.` }
}))

const services = Layer.merge(Layer.provide(layerConfig, NodeTransport.layer), Sqlite.layer(file))

await Campaign.run("orders", rows).pipe(
  Stream.runDrain,
  Effect.provide(services),
  Effect.runPromise
)
