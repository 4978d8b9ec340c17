/** `node workers.ts` runs a worker. `node workers.ts spring-sale` also offers the slices of the campaign. */
import { Campaign } from "@messaging-topup/campaign"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { argv } from "node:process"
import { database, services } from "./services.ts"

const [, , campaign] = argv

const offered =
  campaign === undefined
    ? Effect.void
    : Effect.flatMap(Campaign.offer(campaign), (slices) => Console.log(`offered: ${slices} slices`))

const worker = Campaign.layerWorkers({
  messagesPerSecond: 50,
  onEvent: (event, name) => Console.log(name, event)
})

Layer.merge(worker, Layer.effectDiscard(offered)).pipe(
  Layer.provide(Layer.provide(Campaign.layerQueueSql, database)),
  Layer.provide(services),
  Layer.launch,
  NodeRuntime.runMain
)
