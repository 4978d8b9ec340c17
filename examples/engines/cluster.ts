/** `node cluster.ts` runs a runner. `node cluster.ts spring-sale` also offers the slices of the campaign. */
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as ClusterSchema from "effect/cluster/ClusterSchema"
import * as Entity from "effect/cluster/Entity"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Rpc from "effect/rpc/Rpc"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { argv } from "node:process"
import { deliver, openJobs } from "./job.ts"
import { database, services } from "./services.ts"

/** The cluster remembers a message by its key forever, so each offer has its own time as its key. */
const Send = Rpc.make("Send", {
  payload: { campaign: Schema.String, slice: Schema.Int, offeredAt: Schema.Finite },
  primaryKey: ({ offeredAt }) => String(offeredAt)
}).annotate(ClusterSchema.Persisted, true)

/** One entity per slice. The cluster runs each entity on only one runner at a time. */
const Slice = Entity.make("Slice", [Send])

// One slice at a time per process, because one attempt already has many requests in flight.
const turn = Semaphore.makeUnsafe(1)

const handlers = Slice.toLayer({
  Send: ({ payload }) =>
    deliver(payload).pipe(
      turn.withPermit,
      Effect.repeat({ until: (isOver) => isOver, schedule: Schedule.spaced("1 second") }),
      Effect.asVoid,
      Effect.orDie
    )
})

const offer = Effect.fnUntraced(function* (campaign: string) {
  const clientOf = yield* Slice.client
  const offeredAt = DateTime.toEpochMillis(yield* DateTime.now)
  const jobs = yield* openJobs(campaign)
  for (const job of jobs) {
    yield* clientOf(String(job.slice)).Send({ ...job, offeredAt }, { discard: true })
  }
  yield* Console.log(`offered: ${jobs.length} slices`)
})

const cluster = NodeClusterSocket.layer().pipe(Layer.provide(database))
const [, , campaign = ""] = argv

Layer.effectDiscard(offer(campaign)).pipe(
  Layer.provideMerge(handlers),
  Layer.provide(cluster),
  Layer.provide(services),
  Layer.launch,
  NodeRuntime.runMain
)
