/**
 * Sends the rows of a campaign.
 *
 * @since 0.1.0
 */
import type { InvalidInput, MessagingTopup } from "@messaging-topup/core"
import {
  CampaignJournal,
  type CampaignStopped,
  type JournalError,
  type NewRow,
  type RowConflict,
  SendJournal,
  type SliceNotFound
} from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { CampaignEvent } from "./CampaignEvent.ts"
import type { CampaignOptions } from "./CampaignOptions.ts"
import type { CampaignNotFound } from "./errors/CampaignNotFound.ts"
import * as Attempt from "./internal/Attempt.ts"
import { known } from "./internal/Known.ts"
import * as Setup from "./internal/Setup.ts"
import { load } from "./Load.ts"
import { status } from "./State.ts"

/**
 * How an attempt at a slice ended.
 *
 * @since 0.1.0
 */
export type SliceResult = Attempt.SliceResult

/**
 * One attempt at one slice: the step that a queue or a workflow calls. However often it is delivered, at
 * the same time too, no SMS goes out twice. Report success to the queue only for `isDone`; deliver it
 * again otherwise, unless it failed with `CampaignStopped`, or `stop` is set and the campaign is paused.
 *
 * Interrupted, it waits for the requests that are under way and writes down what became of them.
 *
 * @since 0.1.0
 */
export const runSlice = Effect.fn("Campaign.runSlice")(function* (
  slice: number,
  options: CampaignOptions = {},
  onEvent: (event: CampaignEvent) => Effect.Effect<void> = () => Effect.void
): Effect.fn.Return<
  SliceResult,
  CampaignStopped | InvalidInput | SliceNotFound,
  CampaignJournal | MessagingTopup | SendJournal
> {
  return yield* Attempt.attemptSlice(slice, yield* Setup.make(options, onEvent))
})

/** Attempts the open slices, one after the other, until none is left or the campaign stops. */
const work = Effect.fnUntraced(function* (
  campaign: string,
  options: CampaignOptions,
  emit: Attempt.Setup["emit"]
) {
  const journal = yield* SendJournal
  const campaigns = yield* CampaignJournal
  const setup = yield* Setup.make(options, emit)
  const attempt = (slice: number) =>
    Attempt.attemptSlice(slice, setup).pipe(
      // Another process pruned it, or paused the campaign.
      Effect.catchTag("SliceNotFound", () => Effect.succeed({ isDone: true })),
      Effect.catchTag("CampaignStopped", () => Effect.succeed({ isDone: true }))
    )
  while ((yield* campaigns.state(campaign)) === "running") {
    const open = yield* journal.openSlices(campaign)
    if (open.length === 0) return
    for (const slice of open) {
      const { stop }: SliceResult = yield* attempt(slice)
      if (stop === undefined) continue
      yield* campaigns.pause(campaign)
      yield* emit({ _tag: "Stopped", reason: stop })
      return
    }
  }
})

/**
 * What `run` and `resume` fail with.
 *
 * @since 0.1.0
 */
export type RunError = CampaignNotFound | InvalidInput | JournalError

type Needs = CampaignJournal | MessagingTopup | SendJournal

/** Interrupting the stream waits for the requests that are under way. */
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

const toItsEnd = (campaign: string, options: CampaignOptions) =>
  Effect.fnUntraced(function* (
    emit: Attempt.Setup["emit"]
  ): Effect.fn.Return<void, RunError, Needs> {
    yield* work(campaign, options, emit)
    yield* emit({ _tag: "Ended", ...(yield* status(campaign)) })
  })

/**
 * Sends what is left of a campaign, in this process. Returns its events; the last one has the counts.
 *
 * Interrupted, it claims nothing further, waits for the requests that are under way, and writes down what
 * became of them.
 *
 * @since 0.1.0
 */
export const resume = (
  campaign: string,
  options: CampaignOptions = {}
): Stream.Stream<CampaignEvent, RunError, Needs> =>
  events((emit) =>
    Effect.gen(function* () {
      const campaigns = yield* CampaignJournal
      yield* known(campaign, yield* campaigns.resume(campaign))
      yield* toItsEnd(campaign, options)(emit)
    })
  )

/**
 * Loads all rows, then sends them, in this process: `load` and `resume`. Nothing is sent before every
 * row is in the journal. Repeat it after a crash: what was sent is not sent again.
 *
 * @since 0.1.0
 */
export const run = <E, R>(
  campaign: string,
  rows: Stream.Stream<NewRow, E, R>,
  options: CampaignOptions = {}
): Stream.Stream<CampaignEvent, E | RowConflict | RunError, Needs | R> =>
  Stream.concat(
    Stream.fromEffect(
      Effect.map(load(campaign, rows), (count): CampaignEvent => ({ _tag: "Loaded", rows: count }))
    ),
    resume(campaign, options)
  )
