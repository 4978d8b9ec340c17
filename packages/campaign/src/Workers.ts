/**
 * Workers on a queue of slices: many processes send one campaign. The queue delivers at least once; what
 * may be sent is the journal's to say.
 *
 * Unstable, as the Effect module of the queue, which is used here alone.
 *
 * @since 0.1.0
 */
import type { InvalidInput, MessagingTopup } from "@messaging-topup/core"
import { CampaignJournal, type JournalError, SendJournal } from "@messaging-topup/journal"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { CampaignEvent } from "./CampaignEvent.ts"
import type { CampaignOptions } from "./CampaignOptions.ts"
import type { CampaignNotFound } from "./errors/CampaignNotFound.ts"
import { attemptSlice, type Failures } from "./internal/Attempt.ts"
import { known } from "./internal/Known.ts"
import * as Setup from "./internal/Setup.ts"

const Job = Schema.Struct({ campaign: Schema.String, slice: Schema.Int })

type Job = typeof Job.Type

class NotDone extends Data.TaggedError("NotDone") {}

const queue = PersistedQueue.make({
  name: "messaging-topup-campaign",
  schema: Job,
  // A crash counts, and a slice is done when the journal says so.
  maxAttempts: 2_000_000_000,
  retrySchedule: Schedule.spaced("1 second")
})

/**
 * Puts the open slices of a campaign into the queue: after `load`, and again after a pause or a
 * `resolveUnknown`. A slice that is in the queue twice is sent once; it only costs another attempt. Returns
 * how many it offered.
 *
 * @since 0.1.0
 */
export const offer = Effect.fn("Campaign.offer")(function* (
  campaign: string
): Effect.fn.Return<
  number,
  CampaignNotFound | JournalError | PersistedQueue.PersistedQueueError,
  CampaignJournal | PersistedQueue.PersistedQueueFactory | SendJournal
> {
  const campaigns = yield* CampaignJournal
  const journal = yield* SendJournal
  const jobs = yield* queue
  yield* known(campaign, yield* campaigns.resume(campaign))
  const slices = yield* journal.openSlices(campaign)
  // An id stays spent after completion, so each job gets a new one.
  yield* Effect.forEach(slices, (slice) => Effect.orDie(jobs.offer({ campaign, slice })), {
    discard: true
  })
  return slices.length
})

/**
 * How a worker sends, and whom it tells.
 *
 * @since 0.1.0
 */
export interface WorkerOptions extends CampaignOptions {
  /** Hears what happens in a campaign. It runs before the work goes on. */
  readonly onEvent?: (event: CampaignEvent, campaign: string) => Effect.Effect<void>
}

/**
 * A worker of this process: takes slices from the queue, one at a time, until the layer ends; then the
 * requests that are under way end, and what became of them is written down.
 *
 * @since 0.1.0
 */
export const layerWorkers = ({
  onEvent = () => Effect.void,
  ...options
}: WorkerOptions = {}): Layer.Layer<
  never,
  InvalidInput,
  CampaignJournal | MessagingTopup | PersistedQueue.PersistedQueueFactory | SendJournal
> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const campaigns = yield* CampaignJournal
      const jobs = yield* queue
      const setup = yield* Setup.make(options, () => Effect.void)

      const failuresOf = new Map<string, Failures>()

      const work = Effect.fnUntraced(function* ({ campaign, slice }: Job) {
        const emit = (event: CampaignEvent) => onEvent(event, campaign)
        const failures = failuresOf.get(campaign) ?? { inARow: 0 }
        failuresOf.set(campaign, failures)
        const { isDone, stop } = yield* attemptSlice(slice, { ...setup, failures, emit })
        if (stop !== undefined) {
          failuresOf.delete(campaign)
          yield* campaigns.pause(campaign)
          return yield* emit({ _tag: "Stopped", reason: stop })
        }
        return isDone ? undefined : yield* new NotDone()
      })

      yield* jobs
        .take((job) =>
          Effect.catchTags(work(job), {
            // `offer` brings it back.
            CampaignStopped: () => Effect.void,
            SliceNotFound: () => Effect.void
          })
        )
        .pipe(
          Effect.catchTag("NotDone", () => Effect.void),
          Effect.tapError((error) => Effect.logWarning("The queue is not available", error._tag)),
          Effect.retry(Schedule.spaced("1 second")),
          Effect.forever,
          Effect.forkScoped
        )
    })
  )

/**
 * A queue in memory, for one process: a restart forgets it, and `offer` fills it again.
 *
 * @since 0.1.0
 */
export const layerQueueMemory: Layer.Layer<PersistedQueue.PersistedQueueFactory> = Layer.provide(
  PersistedQueue.layer,
  PersistedQueue.layerStoreMemory
)

/**
 * A queue in the PostgreSQL that holds the journal. A slice of a worker that is gone is another's after
 * 30 seconds.
 *
 * @since 0.1.0
 */
export const layerQueueSql: Layer.Layer<
  PersistedQueue.PersistedQueueFactory,
  SqlError,
  SqlClient.SqlClient
> = Layer.provide(
  PersistedQueue.layer,
  PersistedQueue.layerStoreSql({
    tableName: "messaging_topup_queue",
    pollInterval: "250 millis",
    lockRefreshInterval: "10 seconds",
    lockExpiration: "30 seconds"
  })
)
