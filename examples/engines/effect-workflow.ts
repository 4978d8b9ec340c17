/**
 * Each workflow is one SMS. `node effect-workflow.ts orders.json` is a runner: start as many as you like, each with the
 * `HOST` and the `PORT` at which the others reach it. `node effect-workflow.ts orders.json begin` begins a workflow for
 * each order, `[{ "key": "order-1", "request": { "recipient": "…", "message": "…" } }]`, and prints how it stands.
 *
 * Runners need PostgreSQL (`DATABASE_URL`), and `@effect/sql-pg` and `@effect/platform-node@4.1` beside Effect: npm of an
 * older Node takes an older one. They talk without authentication: keep them in a private network. Stop them with SIGTERM,
 * which lets what is in flight end. When one is killed, another takes over its work within a minute; while one starts or
 * stops under load, sends can pause as long.
 *
 * After an unknown outcome, or while the account or the service accepts nothing, a workflow looks again after a minute, then
 * two, up to an hour. The engine stores its end for ever. An order that was corrected after a rejection is another
 * workflow; one whose SMS may have gone out needs another key.
 */
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as PgClient from "@effect/sql-pg/PgClient"
import { layerConfig, Schemas } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { isFinal, SendJournal, sendOnceErrorSchema, SentOnce } from "@messaging-topup/journal"
import { layer } from "@messaging-topup/journal/open"
import * as ClusterWorkflowEngine from "effect/cluster/ClusterWorkflowEngine"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Activity from "effect/workflow/Activity"
import * as DurableClock from "effect/workflow/DurableClock"
import * as Workflow from "effect/workflow/Workflow"
import { readFileSync } from "node:fs"
import { argv, env, stderr, stdout } from "node:process"

const [, , file = "orders.json", command] = argv
const { DATABASE_URL: url = "", WAIT_SECONDS: waitSeconds = "60" } = env

/** A program looks an order up where all its runners do. The engine stores its key in clear: it is no phone number. */
const Order = Schema.Struct({ key: Schema.String, request: Schemas.SendSmsRequest })
const read = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Order)))
/** Read for each SMS, because orders come after the start of a runner. */
const readOrders = () =>
  new Map(read(readFileSync(file, "utf8")).map(({ key, request }) => [key, request]))

/** The end of a workflow is for ever: an order that is only half written must not be one. */
const soon = Schedule.spaced("1 second")

/** The order is gone, or is another one now, which another workflow sends. */
class OrderChanged extends Schema.TaggedError<OrderChanged>()("OrderChanged", {}) {}

const ends = { success: SentOnce, error: Schema.Union([sendOnceErrorSchema, OrderChanged]) }

/** The engine stores the payload in clear, and for ever: so it has neither the number nor the text. */
const SendSms = Workflow.make("SendSms", {
  ...ends,
  payload: { key: Schema.String, digest: Schema.String },
  // With the key alone, an order that was corrected after a rejection would get the end of the first workflow.
  idempotencyKey: ({ digest, key }) => JSON.stringify([key, digest])
})

const send = ({ digest, key }: typeof SendSms.payloadSchema.Type) =>
  Activity.make({
    ...ends,
    name: "send",
    // After a crash, the engine runs it again, and the journal decides whether that sends.
    execute: Effect.gen(function* () {
      const { identify, sendOnce } = yield* SendJournal
      const found = yield* Effect.orDie(Effect.retry(Effect.try(readOrders), soon))
      const request = found.get(key)
      if (request === undefined || identify(key, request).digest !== digest) {
        return yield* new OrderChanged()
      }
      return yield* sendOnce(key, request)
    })
  })

/** Waits for a person's decision, the account, or the service: each time longer, up to an hour. */
const later = Effect.gen(function* () {
  const attempt = yield* Activity.CurrentAttempt
  yield* DurableClock.sleep({
    name: `wait ${attempt}`,
    duration: Duration.seconds(Math.min(Number(waitSeconds) * attempt, 3600)),
    // By default, a wait of a minute or less is not durable.
    inMemoryThreshold: 0
  })
})

/** So many sends at once of this process: as many become unknown if it is killed. */
const atOnce = Semaphore.makeUnsafe(20)

const isEnd = (error: typeof ends.error.Type) => error._tag === "OrderChanged" || isFinal(error)

// The limit is outside the activity, because a stop of the process waits for each activity that has begun.
const workflow = SendSms.toLayer((payload) =>
  atOnce.withPermit(send(payload)).pipe(
    Effect.tapError((error) => (isEnd(error) ? Effect.void : later)),
    Activity.retry({ while: (error) => !isEnd(error) })
  )
)

const isBeginning = command === "begin"
const cluster = isBeginning
  ? NodeClusterSocket.layer({ clientOnly: true })
  : NodeClusterSocket.layer({
      // Longer than a send: one that is cut off is of unknown outcome.
      shardingConfig: { entityTerminationTimeout: "45 seconds" }
    })
const engine = ClusterWorkflowEngine.layer.pipe(
  Layer.provide(cluster),
  Layer.provide(PgClient.layer({ url: Redacted.make(url) }))
)
const journal = layer(url)

const runner = workflow.pipe(
  Layer.provide([engine, journal, Layer.provide(layerConfig, NodeTransport.layer)])
)

/** Beginning a workflow again joins it. */
const begin = Effect.gen(function* () {
  const { identify } = yield* SendJournal
  for (const [key, request] of readOrders()) {
    const payload = { key, digest: identify(key, request).digest }
    const id = yield* SendSms.execute(payload, { discard: true })
    const result = Option.getOrUndefined(yield* SendSms.poll(id))
    const end =
      result?._tag === "Complete"
        ? yield* Effect.match(result.exit, {
            onSuccess: () => "sent",
            onFailure: ({ _tag }) => _tag
          })
        : "not ended"
    yield* Console.log(`${key}: ${end}`)
  }
}).pipe(Effect.provide([engine, journal]))

// An output that takes nothing, as when its reader ended, must not end it: what is in flight would be unknown.
for (const output of [stdout, stderr]) output.on("error", () => {})

NodeRuntime.runMain(isBeginning ? begin : Layer.launch(runner))
