/**
 * Sends rows, each at most once, in batches: each settles the requests that have ended and claims the next
 * rows, in one write. Requests go on while the journal writes; those that end in the meantime are settled in the
 * next batch.
 */
import { type InvalidInput, MessagingTopup } from "@messaging-topup/core"
import { attemptMillis } from "@messaging-topup/core/internal"
import type { CampaignPruned, JournalError } from "./model/Errors.ts"
import type { Claimed } from "./sends/CampaignSends.ts"
import type { Claim, SendEnding } from "./model/Send.ts"
import { SendJournal } from "./sends/SendJournal.ts"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import type * as Stream from "effect/Stream"
import { randomBytes } from "node:crypto"
import * as Failures from "./many/Failures.ts"
import { type RowEnd, send } from "./many/SendRow.ts"
import * as QuietHours from "./many/QuietHours.ts"
import * as Rate from "./many/Rate.ts"
import type { Row } from "./many/Row.ts"
import type { SendManyEvent, SendManyResult, Stop } from "./model/Campaign.ts"
import { checked, type SendManyOptions } from "./many/Settings.ts"
import * as Supply from "./many/Supply.ts"
import { waitForJournal } from "./many/WaitForJournal.ts"
import * as Window from "./many/Window.ts"

/** What `sendMany` fails with, besides the errors of the rows. */
export type SendManyError = CampaignPruned | InvalidInput | JournalError

/** So often a row is tried that does not go out, if neither the service nor the row is the reason. */
const maxTries = 5

interface Ended {
  readonly item: Supply.Item
  readonly claim: Claim
  readonly ending: SendEnding
}

const settledEvent = (ended: ReadonlyArray<Ended>): SendManyEvent => {
  const count = (outcome: SendEnding["outcome"]) =>
    ended.filter(({ ending }) => ending.outcome === outcome).length
  return {
    _tag: "Settled",
    sent: count("sent"),
    rejected: count("rejected"),
    unknown: count("unknown"),
    notSent: count("nothing")
  }
}

/** Sends the rows until every one has an outcome, or until `interrupted`. */
const run = Effect.fnUntraced(function* <E, R>(
  rows: Stream.Stream<Row, E, R>,
  options: SendManyOptions,
  interrupted: Deferred.Deferred<void>
) {
  const { allowRepeats = true, campaign, retryRejected = false } = options
  const { onEvent: emit = () => Effect.void } = options
  const { concurrency, messagesPerSecond } = yield* checked(options)
  const quietUntil = yield* QuietHours.make(options.quietHours)
  const journal = yield* SendJournal
  const timeoutMillis = attemptMillis(yield* MessagingTopup)
  const clock = yield* Clock.Clock
  yield* waitForJournal(journal.campaigns.begin(campaign), emit)

  const totals: Supply.Totals = {
    sent: 0,
    rejected: 0,
    unknown: 0,
    closed: 0,
    changed: 0,
    repeated: 0,
    inFlight: 0,
    notSent: 0
  }
  const window = Window.make(concurrency, clock)
  const supply = yield* Supply.make(rows, {
    journal,
    campaign,
    retryRejected,
    totals,
    emit,
    isBusy: () => window.inFlight() > 0 || waiting.length > 0
  })
  const countFailure = Failures.makeCount()
  const rate =
    messagesPerSecond === undefined
      ? undefined
      : Rate.make(journal.campaigns, campaign, messagesPerSecond, clock)

  const stopping = yield* Deferred.make<void>()
  const stopped = Effect.raceFirst(Deferred.await(stopping), Deferred.await(interrupted))
  const isStopping = () => Deferred.isDoneUnsafe(stopping) || Deferred.isDoneUnsafe(interrupted)
  /** Opens when a request or a look for more rows ends. */
  const changed = Latch.makeUnsafe(false)
  let sentNow = 0
  /** Until when the quiet hours are that were announced. */
  let announcedUntil: number | undefined
  let stop: Stop | undefined
  let failed: Exit.Exit<never, CampaignPruned | E | InvalidInput | JournalError> | undefined
  let waiting = new Array<Supply.Item>()
  const ended = new Array<Ended>()

  const stopFor = (reason: Stop | undefined) => {
    if (reason === undefined) return
    stop ??= reason
    Deferred.doneUnsafe(stopping, Effect.void)
  }

  const failWith = (exit: NonNullable<typeof failed>) => {
    failed ??= exit
    Deferred.doneUnsafe(stopping, Effect.void)
  }

  const onEnd = (item: Supply.Item, claim: Claim, end: RowEnd): Effect.Effect<void> => {
    const verdict = countFailure(end, item.failure)
    stopFor(verdict.stop)
    const isRejectedInDoubt = verdict.isInDoubt && end.ending.outcome === "rejected"
    const ending: SendEnding = isRejectedInDoubt ? { outcome: "nothing" } : end.ending
    const isFailure = end.failure !== undefined && end.slowDown === undefined
    ended.push({
      item: isFailure ? { ...item, failure: end.failure, failures: item.failures + 1 } : item,
      claim,
      ending
    })
    const isPaused = window.end(end)
    if (window.isUnreachable()) stopFor({ reason: "NoConnection" })
    changed.openUnsafe()
    if (!isPaused) return Effect.void
    const until = clock.currentTimeMillisUnsafe() + Math.round(window.pauseMillis())
    const why = end.slowDown?.isUnreachable === true ? "no-connection" : "slow-down"
    return emit({ _tag: "Waiting", why, until })
  }

  const count = ({ ending, item }: Ended): void => {
    if (ending.outcome !== "nothing") totals[ending.outcome]++
    else if (item.failures < maxTries) waiting.push(item)
    else totals.notSent++
    if (ending.outcome === "sent") sentNow++
  }

  /** Other processes are at work in these chunks: what is left of them is looked up again later. */
  const giveBack = (refused: ReadonlyArray<Supply.Item>) => {
    const chunks = new Set(refused.map(({ chunk }) => chunk))
    supply.giveBack([...refused, ...waiting.filter(({ chunk }) => chunks.has(chunk))])
    waiting = waiting.filter(({ chunk }) => !chunks.has(chunk))
    hasMore = true
  }

  /** Settles what has ended, claims rows, and starts their requests, in one write. */
  const exchange = Effect.fnUntraced(function* (items: ReadonlyArray<Supply.Item>) {
    const settling = ended.splice(0)
    const batch = {
      settle: settling.map(({ claim, ending }) => ({ claim, ending })),
      claim: items.map(({ attempt, known, row }) => ({
        send: known,
        request: row.request,
        attempt
      })),
      token: randomBytes(12).toString("base64url"),
      timeoutMillis,
      allowRepeats
    }
    const { mayStart, rows: ends } = yield* waitForJournal(
      journal.campaigns.exchange(campaign, batch),
      emit
    ).pipe(
      Effect.catchTag("CampaignPruned", (error) =>
        Effect.sync((): Claimed => {
          failWith(Exit.fail(error))
          return { rows: [], mayStart: () => false }
        })
      )
    )
    for (const one of settling) count(one)
    if (settling.length > 0) yield* emit(settledEvent(settling))
    const refused = new Array<Supply.Item>()
    for (const [index, item] of items.entries()) {
      const end = ends[index]
      if (end?._tag !== "Claimed") {
        if (end?.because === "repeated") totals.repeated++
        else refused.push(item)
        continue
      }
      window.start()
      const sending = send(item.row.request, () => !isStopping() && mayStart())
      yield* Effect.forkChild(Effect.flatMap(sending, (how) => onEnd(item, end.claim, how)))
    }
    if (refused.length > 0) giveBack(refused)
  })

  /**
   * Requests that end one after the other are settled in the same write, because each write takes as long
   * as many requests.
   */
  const gather = Effect.gen(function* () {
    // The requests of the last batch start; a connection that is used again writes one loop later.
    yield* Effect.yieldNow
    yield* Effect.yieldNow
    let before: number
    do {
      before = ended.length
      yield* Effect.yieldNow
    } while (ended.length > before)
  })

  let hasMore = true
  let isFetching = false
  let fetching: Fiber.Fiber<unknown> | undefined

  const fetch = Effect.gen(function* () {
    const exit = yield* Effect.exit(supply.next)
    if (Exit.isFailure(exit)) failWith(Exit.failCause(exit.cause))
    else if (exit.value === undefined) hasMore = !supply.isOver()
    else waiting.push(...exit.value)
    isFetching = false
    changed.openUnsafe()
  })

  /** For how long no request may start, in milliseconds; 0 or less if requests may start now. */
  const holdMillis = (now: number) => Math.max(window.pauseMillis(), (quietUntil(now) ?? now) - now)

  /** Waits until a batch can do something. */
  const idle = Effect.fnUntraced(function* (hold: number, isLimited: boolean) {
    const until = quietUntil(clock.currentTimeMillisUnsafe())
    if (until !== announcedUntil && window.inFlight() === 0 && waiting.length > 0) {
      announcedUntil = until
      if (until !== undefined) yield* emit({ _tag: "Waiting", why: "quiet-hours", until })
    }
    const millis = isLimited ? (rate?.waitMillis() ?? 0) : waiting.length > 0 ? hold : 0
    const waits = millis > 0 ? [Effect.sleep(millis), changed.await] : [changed.await]
    // Without a request in flight, only time or a stop can change anything.
    yield* Effect.raceAllFirst(isStopping() ? waits : [...waits, stopped])
  })

  while (true) {
    if (window.inFlight() > 0) yield* gather
    changed.closeUnsafe()
    const isOver = isStopping()
    const isLow = waiting.length < Supply.rowsPerChunk
    if (isLow && hasMore && !isOver && !isFetching) {
      isFetching = true
      fetching = yield* Effect.forkChild(fetch)
    }
    const hold = holdMillis(clock.currentTimeMillisUnsafe())
    const wanted = isOver || hold > 0 ? 0 : Math.max(0, Math.min(waiting.length, window.room()))
    const due =
      rate === undefined || wanted === 0 ? wanted : yield* waitForJournal(rate.take(wanted), emit)
    if (due > 0 || ended.length > 0) yield* exchange(waiting.splice(0, due))
    else if (window.inFlight() === 0 && (isOver || (waiting.length === 0 && !hasMore))) break
    else yield* idle(hold, wanted > 0)
  }
  if (fetching !== undefined) yield* Fiber.interrupt(fetching)
  if (failed !== undefined) return yield* failed
  const inFlight = supply.inFlight()
  totals.inFlight = inFlight.rows
  totals.notSent += waiting.length + supply.size()
  const result: SendManyResult = {
    rows: totals,
    sentNow,
    ...(stop === undefined ? {} : { stop }),
    ...(inFlight.rows === 0 ? {} : { inFlightUntil: inFlight.until })
  }
  return result
}, Effect.scoped)

/**
 * Sends the rows of a campaign that were not sent before. May be repeated, and run by several processes at
 * once on one journal: each row is sent at most once, and the processes share the work. Rows are read as
 * they are needed. Repeat it with the same rows after a crash.
 *
 * If interrupted, it claims no more rows, waits for the requests in flight, and writes their outcomes to
 * the journal.
 *
 * Errors: those of the rows, and `CampaignPruned`. The requests in flight end first.
 */
export const sendMany = <E, R>(
  rows: Stream.Stream<Row, E, R>,
  options: SendManyOptions
): Effect.Effect<SendManyResult, E | SendManyError, MessagingTopup | R | SendJournal> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const running = yield* Effect.forkChild(run(rows, options, interrupted))
      const end = Fiber.await(running)
      yield* restore(end).pipe(
        Effect.onInterrupt(() => Effect.andThen(Deferred.succeed(interrupted, undefined), end))
      )
      return yield* Fiber.join(running)
    })
  )
