/**
 * Workers on a queue of slices: many processes send one campaign. The queue delivers each slice at least
 * once; the journal decides which rows may be sent.
 *
 * Unstable, like Effect's `PersistedQueue`, which only this module uses.
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
import type { CampaignNotFound } from "../rows/CampaignNotFound.ts"
import { attemptSlice, makeShared, type Shared } from "./Attempt.ts"
import { requireFound } from "../rows/Lookup.ts"
import { maxOpenSlices } from "./Pace.ts"
import * as Setup from "./Setup.ts"

const Job = Schema.Struct({ campaign: Schema.String, slice: Schema.Int })

type Job = typeof Job.Type

class NotDone extends Data.TaggedError("NotDone") {}

const queue = PersistedQueue.make({
  name: "messaging-topup-campaign",
  schema: Job,
  // The queue counts each delivery, also after a crash. It must not give up a slice that is not done.
  maxAttempts: 2_000_000_000,
  retrySchedule: Schedule.spaced("1 second")
})

/**
 * Resumes a campaign and puts its open slices into the queue: after `load`, and again after a pause or
 * `resolveUnknown`. A slice may be in the queue twice: its rows are sent once. Returns how many slices it
 * offered.
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
  yield* requireFound(campaign, yield* campaigns.resume(campaign))
  const slices = yield* journal.openSlices(campaign)
  // The queue ignores the id of a completed job, so each job gets a new id.
  yield* Effect.forEach(slices, (slice) => Effect.orDie(jobs.offer({ campaign, slice })), {
    discard: true
  })
  return slices.length
})

/** How a worker sends, and who receives its events. */
export interface WorkerOptions extends CampaignOptions {
  /** Receives the events of each campaign. The worker waits until it returns. */
  readonly onEvent?: (event: CampaignEvent, campaign: string) => Effect.Effect<void>
}

/**
 * A worker in this process. It takes slices from the queue until the layer ends: the next one when all
 * rows of the last one are claimed. At the end it waits for the requests in flight and writes their
 * outcomes to the journal.
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

      const sharedBy = new Map<string, Shared>()

      const work = Effect.fnUntraced(function* (
        { campaign, slice }: Job,
        allClaimed: Effect.Effect<void>
      ) {
        const emit = (event: CampaignEvent) => onEvent(event, campaign)
        const shared = sharedBy.get(campaign) ?? makeShared()
        sharedBy.set(campaign, shared)
        const { isDone } = yield* attemptSlice(slice, { ...setup, shared, emit }, allClaimed)
        if (shared.stop !== undefined) {
          // Another slice has already paused the campaign.
          if (sharedBy.get(campaign) !== shared) return
          sharedBy.delete(campaign)
          yield* campaigns.pause(campaign)
          return yield* emit({ _tag: "Stopped", ...shared.stop })
        }
        // After a freeze, another worker may have completed this job without the rows that this attempt has
        // released since. A retry of the job would be lost; a new job is not.
        if (!isDone) {
          yield* Effect.catch(jobs.offer({ campaign, slice }, { delay: "1 second" }), () =>
            Effect.fail(new NotDone())
          )
        }
      })

      const takeSlice = setup.pace.claimInTurn((allClaimed) =>
        jobs
          .take((job) =>
            Effect.catchTags(work(job, allClaimed), {
              // The next `offer` puts the slice back.
              CampaignStopped: () => Effect.void,
              SliceNotFound: () => Effect.void
            })
          )
          .pipe(
            Effect.catchTag("NotDone", () => Effect.void),
            Effect.tapError((error) => Effect.logWarning("The queue is not available", error._tag)),
            Effect.retry(Schedule.spaced("1 second"))
          )
      )

      // At the end of the scope, all of them are interrupted at the same time.
      yield* Effect.forkScoped(
        Effect.all(
          Array.from({ length: maxOpenSlices }, () => Effect.forever(takeSlice)),
          { concurrency: "unbounded", discard: true }
        )
      )
    })
  )

/** A queue in memory, for one process. A restart empties it; `offer` fills it again. */
export const layerQueueMemory: Layer.Layer<PersistedQueue.PersistedQueueFactory> = Layer.provide(
  PersistedQueue.layer,
  PersistedQueue.layerStoreMemory
)

/**
 * A queue in the PostgreSQL database of the journal, in the table `messaging_topup_queue`. If a worker
 * ends without giving its slice back, another worker takes the slice after 30 seconds.
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
