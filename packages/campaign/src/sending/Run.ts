/** Sends the rows of a campaign. */
import type { InvalidInput, MessagingTopup } from "@messaging-topup/core"
import {
  CampaignJournal,
  type CampaignStopped,
  type JournalError,
  type CampaignState,
  type NewRow,
  SendJournal,
  type SliceNotFound
} from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { CampaignEvent } from "./CampaignEvent.ts"
import type { CampaignOptions } from "./CampaignOptions.ts"
import { CampaignLoading } from "../rows/CampaignLoading.ts"
import type { CampaignNotFound } from "../rows/CampaignNotFound.ts"
import * as Attempt from "./Attempt.ts"
import { maxOpenSlices } from "./Pace.ts"
import { requireFound } from "../rows/Lookup.ts"
import * as Setup from "./Setup.ts"
import { load, type LoadError } from "../rows/Load.ts"
import { status } from "../rows/State.ts"

/**
 * Makes one attempt at one slice: the step for a queue or a workflow. No SMS goes out twice, even if the
 * slice is delivered several times or at the same time.
 *
 * If `isDone`, end the job. If `stop` is set, pause the campaign. After `stop`, or the error
 * `CampaignStopped` or `SliceNotFound`, end the job. Otherwise add a new job for the slice: another worker
 * may have ended this one.
 *
 * If interrupted, it waits for the requests in flight and writes their outcomes to the journal.
 */
export const runSlice = Effect.fn("Campaign.runSlice")(function* (
  slice: number,
  options: CampaignOptions = {},
  onEvent: (event: CampaignEvent) => Effect.Effect<void> = () => Effect.void
): Effect.fn.Return<
  Attempt.SliceResult,
  CampaignStopped | InvalidInput | SliceNotFound,
  CampaignJournal | MessagingTopup | SendJournal
> {
  return yield* Attempt.attemptSlice(slice, yield* Setup.make(options, onEvent))
})

/** The rows of earlier loads are sent while another process loads more. */
const mayWork = (state: CampaignState | undefined): boolean =>
  state === "running" || state === "loading"

/** Attempts the open slices in their order, until none is left or the campaign stops. */
const work = Effect.fnUntraced(function* (
  campaign: string,
  options: CampaignOptions,
  emit: Attempt.Setup["emit"]
) {
  const journal = yield* SendJournal
  const campaigns = yield* CampaignJournal
  const setup = yield* Setup.make(options, emit)
  const { pace, shared } = setup
  const attempt = (slice: number) =>
    pace.claimInTurn((allClaimed) =>
      shared.stop === undefined
        ? Effect.asVoid(Attempt.attemptSlice(slice, setup, allClaimed)).pipe(
            // Another process pruned the slice, or paused the campaign. The loop below looks again.
            Effect.catchTag("SliceNotFound", () => Effect.void),
            Effect.catchTag("CampaignStopped", () => Effect.void)
          )
        : Effect.void
    )
  while (mayWork(yield* campaigns.state(campaign))) {
    const open = yield* journal.openSlices(campaign)
    if (open.length === 0) return
    yield* Effect.forEach(open, attempt, { concurrency: maxOpenSlices, discard: true })
    if (shared.stop === undefined) continue
    yield* campaigns.pause(campaign)
    yield* emit({ _tag: "Stopped", ...shared.stop })
    return
  }
})

/** What `run` and `resume` fail with. */
export type RunError = CampaignLoading | CampaignNotFound | InvalidInput | JournalError

type Needs = CampaignJournal | MessagingTopup | SendJournal

/** Runs an effect whose events are a stream. Interrupting the stream waits for the requests in flight. */
const events = <E, R>(
  run: (emit: Attempt.Setup["emit"]) => Effect.Effect<void, E, R>
): Stream.Stream<CampaignEvent, E, R> =>
  Stream.callback<CampaignEvent, E, R>((queue) =>
    run((event) => Effect.asVoid(Queue.offer(queue, event))).pipe(
      Effect.matchCauseEffect({
        onFailure: (cause) => Queue.failCause(queue, cause),
        onSuccess: () => Queue.end(queue)
      })
    )
  )

const workAndReport = (campaign: string, options: CampaignOptions) =>
  Effect.fnUntraced(function* (
    emit: Attempt.Setup["emit"]
  ): Effect.fn.Return<void, RunError, Needs> {
    yield* work(campaign, options, emit)
    yield* emit({ _tag: "Ended", ...(yield* status(campaign)) })
  })

/**
 * Sends the remaining rows of a campaign in this process. Returns its events; the last one has the
 * counts.
 *
 * If interrupted, it claims no more rows, waits for the requests in flight, and writes their outcomes to
 * the journal.
 */
export const resume = (
  campaign: string,
  options: CampaignOptions = {}
): Stream.Stream<CampaignEvent, RunError, Needs> =>
  events((emit) =>
    Effect.gen(function* () {
      const campaigns = yield* CampaignJournal
      const before = yield* requireFound(campaign, yield* campaigns.state(campaign))
      if (before === "loading") return yield* new CampaignLoading({ campaign })
      yield* campaigns.resume(campaign)
      yield* workAndReport(campaign, options)(emit)
    })
  )

/**
 * Loads all rows, then sends them in this process: `load`, then `resume`. Nothing is sent before every
 * row is in the journal; if the load fails, nothing is left of it. Repeat it after a crash: it sends only
 * the remaining rows.
 */
export const run = <E, R>(
  campaign: string,
  rows: Stream.Stream<NewRow, E, R>,
  options: CampaignOptions = {}
): Stream.Stream<CampaignEvent, E | LoadError | RunError, Needs | R> =>
  Stream.concat(
    Stream.fromEffect(
      Effect.map(load(campaign, rows), (count): CampaignEvent => ({ _tag: "Loaded", rows: count }))
    ),
    resume(campaign, options)
  )
