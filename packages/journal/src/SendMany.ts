/**
 * Sends rows, each at most once. Each write settles the requests that have ended and claims the next rows. Requests go on
 * while the journal writes; those that end in the meantime are settled by the next write.
 */
import { InvalidInput, MessagingTopup } from "@messaging-topup/core"
import { requestMillis } from "@messaging-topup/core/internal"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Iterable from "effect/Iterable"
import * as Latch from "effect/Latch"
import * as Predicate from "effect/Predicate"
import type * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as OwnRows from "./many/OwnRows.ts"
import * as Pace from "./many/Pace.ts"
import { type RowEnd, send } from "./many/SendRow.ts"
import * as Settings from "./many/Settings.ts"
import * as StopRule from "./many/StopRule.ts"
import * as Supply from "./many/Supply.ts"
import * as WaitForJournal from "./many/WaitForJournal.ts"
import type { Row, SendManyEvent, SendManyResult, Stop } from "./model/Campaign.ts"
import { readRow } from "./model/Names.ts"
import { JournalLocked, JournalUnavailable, type SendManyError } from "./model/Errors.ts"
import type { Claim, Settlement, StoredEnd } from "./model/Send.ts"
import type { Claimed } from "./sends/Campaigns.ts"
import { Shutdown } from "./sends/Shutdown.ts"
import { type SendJournal, WholeJournal } from "./sends/SendJournal.ts"

/** So often a row is tried that does not go out, if neither the service nor the row is the reason. */
const maxTries = 5

/** A settlement that waits, with its row, which is tried again if it did not go out. */
type Ended = Settlement & { readonly item: Supply.Item }

const settledEvent = (ended: ReadonlyArray<Settlement>): SendManyEvent => {
  const count = (state: StoredEnd["state"]) =>
    ended.filter(({ stored }) => stored.state === state).length
  return {
    _tag: "Settled",
    sent: count("sent"),
    rejected: count("rejected"),
    unknown: count("unknown"),
    notSent: count("nothing")
  }
}

const noEffect = new TypeError("onEvent must return an Effect")

/** Whether a run fails because it has waited for its journal in vain. */
const isOfJournal = (failed: Exit.Exit<never, unknown> | undefined): boolean => {
  const error = failed && Exit.isFailure(failed) ? Cause.squash(failed.cause) : undefined
  return error instanceof JournalUnavailable || error instanceof JournalLocked
}

/** Copies each row as it is read: a generator may change it for the next one. */
const streamOf = <E, R>(
  rows: Stream.Stream<Row, E, R> | Iterable<Row>
): Stream.Stream<Result.Result<Row, InvalidInput>, E | InvalidInput, R> => {
  if (Stream.isStream(rows)) return Stream.map(rows, readRow)
  return Predicate.isIterable(rows)
    ? Stream.fromIterable(Iterable.map(rows, readRow))
    : Stream.fail(
        new InvalidInput({
          operation: "sendMany",
          field: "rows",
          problem: "give an array, another iterable, or a Stream"
        })
      )
}

/** Sends the rows until every one has an outcome, or until `interrupted`. */
const run = Effect.fnUntraced(function* <E, R>(
  rows: Stream.Stream<Result.Result<Row, InvalidInput>, E, R>,
  settings: Settings.Settings,
  interrupted: Deferred.Deferred<void>
): Effect.fn.Return<
  SendManyResult,
  E | SendManyError,
  MessagingTopup | R | Scope.Scope | SendJournal
> {
  const { allowRepeats, attended, campaign, onEvent, retryRejected } = settings
  const journal = yield* WholeJournal
  const timeoutMillis = requestMillis(yield* MessagingTopup)
  const clock = yield* Clock.Clock
  const shutdown = yield* Shutdown

  /** Why it ends before its rows do. What it fails with comes before what it stops for. */
  let failed: Exit.Exit<never, E | SendManyError> | undefined
  let stop: Stop | undefined

  /** Once one of these is done, no request starts any more. */
  const stopping = yield* Deferred.make<void>()
  const stops = [stopping, interrupted, shutdown]
  const isStopping = () => stops.some((each) => Deferred.isDoneUnsafe(each))

  const failWith = (exit: NonNullable<typeof failed>) => {
    failed ??= exit
    Deferred.doneUnsafe(stopping, Effect.void)
  }

  const stopFor = (reason: Stop | undefined) => {
    if (reason === undefined) return
    stop ??= reason
    Deferred.doneUnsafe(stopping, Effect.void)
  }

  /** What a program throws here must not leave rows that were claimed behind: the run ends as for any failure. */
  const emit = (event: SendManyEvent) =>
    Effect.catchCause(
      Effect.suspend(() => {
        const handled = onEvent(event)
        // Without types, it may be that of /promise. Effect would end the fiber, and not say why.
        return Effect.isEffect(handled) ? handled : Effect.die(noEffect)
      }),
      (cause) => Effect.sync(() => failWith(Exit.failCause(cause)))
    )

  /** The rows that may be claimed. */
  let waiting: ReadonlyArray<Supply.Item> = []
  /** The requests that wait for their settlement. */
  const ended = new Array<Ended>()
  /** Opens when a request or a look for more rows ends. */
  const progress = Latch.makeUnsafe(false)
  const pace = Pace.make(settings, clock, emit)
  const asked = Effect.andThen(
    Effect.raceFirst(Deferred.await(interrupted), Deferred.await(shutdown)),
    Effect.repeat(Effect.sleep("100 millis"), { until: () => pace.inFlight() === 0 })
  )
  let wasWritten = false
  const waitForJournal = WaitForJournal.make({
    emit,
    isAttended: attended,
    wasWritten: () => wasWritten,
    asked
  })
  yield* waitForJournal(journal.campaigns.begin(campaign))
  const judge = StopRule.make()
  const isBusy = () => pace.inFlight() > 0 || waiting.length > 0
  const supply = yield* Supply.make(rows, {
    journal,
    campaign,
    retryRejected,
    emit,
    waitForJournal,
    isBusy
  })
  const own = OwnRows.make({
    journal,
    campaign,
    clock,
    emit,
    waitForJournal,
    inFlight: pace.inFlight,
    ended,
    stop: () => Deferred.doneUnsafe(stopping, Effect.void)
  })
  let sentNow = 0
  let isFetching = false

  /** Looks for more rows in the background, if few are left. */
  const fetch = Effect.gen(function* () {
    const isLow = waiting.length < Supply.rowsPerChunk
    if (!isLow || isFetching || supply.isOver() || isStopping()) return
    isFetching = true
    const looking = Effect.map(Effect.exit(supply.next), (exit) => {
      if (Exit.isSuccess(exit)) waiting = [...waiting, ...exit.value]
      else failWith(Exit.failCause(exit.cause))
      isFetching = false
      progress.openUnsafe()
    })
    yield* Effect.forkScoped(looking)
  })

  /** Takes rows that may be claimed now. */
  const take = () => {
    const count = isStopping() ? 0 : pace.take(waiting.length)
    const items = waiting.slice(0, count)
    waiting = waiting.slice(count)
    return items
  }

  const onEnd = (item: Supply.Item, claim: Claim, end: RowEnd): Effect.Effect<void> => {
    const { stop: reason, stored } = judge(end, item.failure)
    stopFor(reason)
    const isFailure = end.failure !== undefined && end.slowDown === undefined
    ended.push({
      item: isFailure ? { ...item, failure: end.failure, failures: item.failures + 1 } : item,
      claim,
      stored
    })
    const announcement = pace.end(end)
    if (pace.isUnreachable()) stopFor({ reason: "NoConnection" })
    progress.openUnsafe()
    return announcement
  }

  /** Counts rows that were settled. Those that did not go out are tried again. */
  const settle = Effect.fnUntraced(function* (settled: ReadonlyArray<Ended>) {
    for (const { stored, item } of settled) {
      if (stored.state !== "nothing") supply.totals[stored.state]++
      else if (item.failures < maxTries) waiting = [...waiting, item]
      else supply.totals.notSent++
      if (stored.state === "sent") sentNow++
    }
    if (settled.length > 0) yield* emit(settledEvent(settled))
  })

  /** Starts the requests of the rows that were claimed. */
  const start = Effect.fnUntraced(function* (
    items: ReadonlyArray<Supply.Item>,
    { mayStart, rows: claims }: Claimed
  ) {
    const refused = new Array<Supply.Item>()
    for (const [index, item] of items.entries()) {
      const claim = claims[index]
      if (typeof claim === "object") {
        pace.start()
        // The write may have waited for its lock, and quiet hours begun.
        const mayBegin = () => !isStopping() && !pace.isQuiet() && mayStart()
        const sending = send(item.row.request, mayBegin)
        yield* Effect.forkChild(Effect.flatMap(sending, (end) => onEnd(item, claim, end)))
      } else if (claim === "repeated") supply.totals.repeated++
      else refused.push(item)
    }
    if (refused.length === 0) return
    supply.giveBack(refused, waiting)
    waiting = []
  })

  /** Settles requests that have ended, claims rows, and starts their requests: one write for all. */
  const write = Effect.fnUntraced(function* (items: ReadonlyArray<Supply.Item>) {
    const settled = ended.splice(0)
    const written = yield* journal.campaigns
      .write(campaign, {
        settle: settled,
        claim: items.map(({ attempt, keyed, row: { key, request } }) => ({
          ...journal.describe(keyed, request),
          attempt,
          mayRepeat: allowRepeats === true || (allowRepeats !== false && allowRepeats.has(key))
        })),
        ticket: own.ticket(),
        newestId: journal.campaigns.newestId(),
        timeoutMillis
      })
      .pipe(
        waitForJournal,
        Effect.catchTag("CampaignPruned", (error) => {
          failWith(Exit.fail(error))
          return Effect.undefined
        }),
        Effect.tapError(own.tellLost(settled))
      )
    if (written === undefined) return yield* settle(settled)
    wasWritten = true
    yield* own.onWritten(settled, written)
    yield* settle(settled)
    yield* start(items, written)
  })

  const hasMore = () => waiting.length > 0 || isFetching || !supply.isOver()

  /** Whether nothing can be settled or claimed any more. */
  const isOver = () => pace.inFlight() === 0 && (isStopping() || !hasMore())

  /**
   * Lets requests that end one after the other end together: they are settled in the same write, because each
   * write takes as long as many requests.
   */
  const gather = Effect.gen(function* () {
    if (pace.inFlight() > 0) {
      // The requests of the last write start; a connection that is used again writes one loop later.
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      let before: number
      do {
        before = ended.length
        yield* Effect.yieldNow
      } while (ended.length > before)
    }
    progress.closeUnsafe()
  })

  /** Waits until something can be settled or claimed. */
  const wait = Effect.gen(function* () {
    if (pace.inFlight() === 0 && waiting.length > 0) yield* pace.announce
    if (isOver()) return
    if (isStopping()) return yield* progress.await
    const millis = pace.waitMillis(waiting.length)
    yield* Effect.raceAllFirst([
      progress.await,
      ...(millis === undefined ? [] : [Effect.sleep(millis)]),
      ...stops.map(Deferred.await)
    ])
  })

  while (true) {
    yield* gather
    yield* fetch
    // Before rows are taken: it may wait for the journal, and then quiet hours may have begun.
    if (own.isDue() && !isStopping()) {
      yield* Effect.tapError(own.count, own.tellLost([]))
    }
    let items = take()
    if (items.length > 0) yield* pace.goOn
    if (isStopping()) {
      waiting = [...items, ...waiting]
      items = []
    }
    if (items.length > 0 || ended.length > 0) yield* write(items)
    else if (isOver()) break
    else yield* wait
  }
  // Also if the run failed for another reason: somebody will correct that, and run it again.
  if (own.mayCount() && !isOfJournal(failed)) {
    const counted = yield* Effect.exit(own.count)
    if (Exit.isFailure(counted)) failWith(Exit.failCause(counted.cause))
  }
  if (failed !== undefined) return yield* failed
  const missing = own.missing()
  if (missing > 0) stop = { reason: "JournalReplaced", missing }
  if (Deferred.isDoneUnsafe(shutdown) && hasMore()) stop ??= { reason: "Closed" }
  const result = { sentNow, ...supply.end(waiting.length), rows: supply.totals }
  return stop === undefined ? result : { ...result, stop }
}, Effect.scoped)

/**
 * Sends the rows of a campaign that were not sent before. May be repeated, and run by several processes at
 * once on one journal: each row is sent at most once, and the processes share the work. Rows are read as
 * they are needed. Repeat it with the same rows after a crash.
 *
 * If interrupted, it claims no more rows, waits for the requests in flight, and writes their outcomes to
 * the journal. While the journal is unavailable, a run waits for it; once it is interrupted, five seconds longer than
 * for its requests.
 *
 * Errors: those of the rows, what `onEvent` throws, and `CampaignPruned`. The requests in flight end first.
 */
export const sendMany = <E = never, R = never>(
  rows: Stream.Stream<Row, E, R> | Iterable<Row>,
  options: Settings.SendManyOptions
): Effect.Effect<SendManyResult, E | SendManyError, MessagingTopup | R | SendJournal> => {
  const settings = Settings.read(options)
  return Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const running = yield* Effect.forkChild(
        run(streamOf(rows), yield* Effect.fromResult(settings), interrupted)
      )
      const end = Fiber.await(running)
      yield* restore(end).pipe(
        Effect.onInterrupt(() => Effect.andThen(Deferred.succeed(interrupted, undefined), end))
      )
      return yield* Fiber.join(running)
    })
  )
}
