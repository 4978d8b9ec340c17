/**
 * Sends rows, each at most once. Each write settles the requests that have ended and claims the next rows. Requests go on
 * while the journal writes; those that end in the meantime are settled by the next write.
 */
import { MessagingTopup } from "@messaging-topup/core"
import { attemptMillis } from "@messaging-topup/core/internal"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { randomBytes } from "node:crypto"
import * as Pace from "./many/Pace.ts"
import * as Requests from "./many/Requests.ts"
import * as Settings from "./many/Settings.ts"
import * as Supply from "./many/Supply.ts"
import { waitForJournal } from "./many/WaitForJournal.ts"
import type { Row, SendManyEvent, SendManyResult, Stop } from "./model/Campaign.ts"
import type { CampaignPruned, SendManyError } from "./model/Errors.ts"
import type { Claimed, RowClaim } from "./sends/Campaigns.ts"
import { Closing } from "./sends/Closing.ts"
import { type SendJournal, WholeJournal } from "./sends/SendJournal.ts"

/** So often a row is tried that does not go out, if neither the service nor the row is the reason. */
const maxTries = 5

/** Sends the rows until every one has an outcome, or until `interrupted`. */
const run = Effect.fnUntraced(function* <E, R>(
  rows: Stream.Stream<Row, E, R>,
  options: Settings.SendManyOptions,
  interrupted: Deferred.Deferred<void>
): Effect.fn.Return<
  SendManyResult,
  E | SendManyError,
  MessagingTopup | R | Scope.Scope | SendJournal
> {
  const settings = yield* Settings.read(options)
  const { allowRepeats, campaign, onEvent, retryRejected } = settings
  const journal = yield* WholeJournal
  const timeoutMillis = attemptMillis(yield* MessagingTopup)
  const clock = yield* Clock.Clock
  const closing = yield* Closing

  let failed: Exit.Exit<never, E | SendManyError> | undefined

  const failWith = (exit: NonNullable<typeof failed>) => {
    failed ??= exit
    requests.stop()
  }

  /** What a program throws here must not leave rows that were claimed behind: the run ends as for any failure. */
  const emit = (event: SendManyEvent) =>
    Effect.catchCause(
      Effect.suspend(() => onEvent(event)),
      (cause) => Effect.sync(() => failWith(Exit.failCause(cause)))
    )

  /** The rows that may be claimed. */
  let waiting: ReadonlyArray<Supply.Item> = []
  const pace = Pace.make(settings, clock, emit)
  const requests = Requests.make(pace, clock, interrupted, closing, emit)
  yield* waitForJournal(journal.campaigns.begin(campaign), emit, false)
  const isBusy = () => pace.inFlight() > 0 || waiting.length > 0
  const supply = yield* Supply.make(rows, { journal, campaign, retryRejected, emit, isBusy })
  let sentNow = 0
  let wasWritten = false
  let isFetching = false

  /** Looks for more rows in the background, if few are left. */
  const fetch = Effect.gen(function* () {
    const isLow = waiting.length < Supply.rowsPerChunk
    if (!isLow || isFetching || supply.isOver() || requests.isStopping()) return
    isFetching = true
    const looking = Effect.map(Effect.exit(supply.next), (exit) => {
      if (Exit.isSuccess(exit)) waiting = [...waiting, ...exit.value]
      else failWith(Exit.failCause(exit.cause))
      isFetching = false
      requests.changed.openUnsafe()
    })
    yield* Effect.forkScoped(looking)
  })

  /** Takes rows that may be claimed now. */
  const take = () => {
    const count = requests.isStopping() ? 0 : pace.take(waiting.length)
    const items = waiting.slice(0, count)
    waiting = waiting.slice(count)
    return items
  }

  /** Counts rows that were settled. Those that did not go out are tried again. */
  const settle = Effect.fnUntraced(function* (settled: ReadonlyArray<Requests.EndedRow>) {
    for (const { stored, item } of settled) {
      if (stored.outcome !== "nothing") supply.totals[stored.outcome]++
      else if (item.failures < maxTries) waiting = [...waiting, item]
      else supply.totals.notSent++
      if (stored.outcome === "sent") sentNow++
    }
    if (settled.length > 0) yield* emit(Requests.settledEvent(settled))
  })

  /** Starts the requests of the rows that were claimed. */
  const start = Effect.fnUntraced(function* (
    items: ReadonlyArray<Supply.Item>,
    claims: ReadonlyArray<RowClaim>,
    mayStart: () => boolean
  ) {
    const refused = new Array<Supply.Item>()
    for (const [index, item] of items.entries()) {
      const end = claims[index]
      if (typeof end === "object") yield* requests.start(item, end, mayStart)
      else if (end === "repeated") supply.totals.repeated++
      else refused.push(item)
    }
    if (refused.length > 0) waiting = supply.giveBack(refused, waiting)
  })

  const onPruned = (error: CampaignPruned) => {
    failWith(Exit.fail(error))
    return Effect.succeed<Claimed>({ rows: [], mayStart: () => false, missing: 0 })
  }

  let missing = 0

  /** What it claims from now on does not start, and is given back. */
  const onMissing = Effect.fnUntraced(function* (more: number) {
    missing += more
    requests.stop()
    yield* emit({ _tag: "JournalReplaced", missing })
  })

  /** Settles requests that have ended, claims rows, and starts their requests: one write for all. */
  const write = Effect.fnUntraced(function* (items: ReadonlyArray<Supply.Item>) {
    const ended = requests.ended.splice(0)
    const {
      mayStart,
      missing: more,
      rows: claims
    } = yield* journal.campaigns
      .write(campaign, {
        settle: ended,
        claim: items.map(({ attempt, known, row: { key, request } }) => ({
          send: known,
          request,
          attempt,
          mayRepeat: allowRepeats === true || (allowRepeats !== false && allowRepeats.has(key))
        })),
        token: randomBytes(12).toString("base64url"),
        timeoutMillis
      })
      .pipe(
        (writing) => waitForJournal(writing, emit, wasWritten),
        Effect.catchTag("CampaignPruned", onPruned)
      )
    wasWritten = true
    if (more > 0) yield* onMissing(more)
    yield* settle(ended)
    yield* start(items, claims, mayStart)
  })

  const hasMore = () => waiting.length > 0 || isFetching || !supply.isOver()

  /** Whether nothing can be settled or claimed any more. */
  const isOver = () => pace.inFlight() === 0 && (requests.isStopping() || !hasMore())

  /** Waits until something can be settled or claimed. */
  const wait = Effect.gen(function* () {
    if (pace.inFlight() === 0 && waiting.length > 0) yield* pace.announce
    if (isOver()) return
    const millis = pace.waitMillis(waiting.length)
    const changed = requests.changed.await
    const waits = millis > 0 ? [Effect.sleep(millis), changed] : [changed]
    // Without a request in flight, only time or a stop can change anything.
    yield* Effect.raceAllFirst(requests.isStopping() ? waits : [...waits, requests.stopped])
  })

  while (true) {
    yield* requests.gather
    yield* fetch
    const items = take()
    if (items.length > 0 || requests.hasEnded()) yield* write(items)
    else if (isOver()) break
    else yield* wait
  }
  if (failed !== undefined) return yield* failed
  const closed: Stop | undefined =
    closing.isClosed() && hasMore() ? { reason: "Closed" } : undefined
  const stop: Stop | undefined =
    missing > 0 ? { reason: "JournalReplaced", missing } : (requests.stopReason() ?? closed)
  const result = { sentNow, ...supply.end(waiting.length), rows: supply.totals }
  return stop === undefined ? result : { ...result, stop }
}, Effect.scoped)

/**
 * Sends the rows of a campaign that were not sent before. May be repeated, and run by several processes at
 * once on one journal: each row is sent at most once, and the processes share the work. Rows are read as
 * they are needed. Repeat it with the same rows after a crash.
 *
 * If interrupted, it claims no more rows, waits for the requests in flight, and writes their outcomes to
 * the journal.
 *
 * Errors: those of the rows, what `onEvent` throws, and `CampaignPruned`. The requests in flight end first.
 */
export const sendMany = <E, R>(
  rows: Stream.Stream<Row, E, R>,
  options: Settings.SendManyOptions
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
