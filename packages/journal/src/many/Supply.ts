/**
 * Hands out the rows that may be claimed, in chunks.
 *
 * A chunk in which another process is at work is left to that process at first, so that several processes
 * skip each other's chunks. The rows that are left are looked at again at the end, or when they are too many.
 */
import type { InvalidInput } from "@messaging-topup/core"
import type { KeyedSend, Standing } from "../model/Send.ts"
import type { WholeJournal } from "../sends/SendJournal.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Random from "effect/Random"
import type * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Row, RowCounts, SendManyEvent } from "../model/Campaign.ts"
import type { WaitForJournal } from "./WaitForJournal.ts"
import { monotonicMillis } from "./Pace.ts"

/** How many rows are looked up, and left to another process, at once. */
export const rowsPerChunk = 512

const maxDeferredChunks = 10

/** A chunk that is not full waits so long for more rows of a slow stream. */
const fillMillis = 50

/** Rows of a running process end soon. One that settles none for so long has ended. */
const pollMillis = 200
const longestPauseMillis = 3000

/** How a row stands for a run: only a `"free"` one is sent. */
export type RowState = Standing["state"] | "changed"

export const stateOf = ({ changed, state }: Standing, retryRejected: boolean): RowState => {
  if (state === "rejected") return retryRejected ? "free" : state
  return changed === undefined ? state : "changed"
}

/** A row that is not settled. */
export interface Item {
  readonly row: Row
  readonly keyed: KeyedSend
  readonly attempt: number
  /** The attempt that this run may retry: the next one of a row that was rejected before; otherwise none. */
  readonly retries?: number
  /** How it failed the last time. */
  readonly failure?: string | undefined
  /** How often it failed in this run without going out. */
  readonly failures: number
  /** Whether another process had it in flight when it was last looked up. */
  readonly isElsewhere: boolean
}

type Totals = { -readonly [State in keyof RowCounts]: number }

interface SupplyOptions {
  readonly journal: WholeJournal
  readonly campaign: string
  readonly retryRejected: boolean
  readonly emit: (event: SendManyEvent) => Effect.Effect<void>
  readonly waitForJournal: WaitForJournal
  /** Whether this run has something else to do than to wait for others. */
  readonly isBusy: () => boolean
}

/** Begins at a random row: two processes that share a chunk meet once, and not at every row. */
const rotated = Effect.fnUntraced(function* (items: ReadonlyArray<Item>) {
  const start = yield* Random.nextIntBetween(0, Math.max(0, items.length - 1))
  return [...items.slice(start), ...items.slice(0, start)]
})

export const make = Effect.fnUntraced(function* <E, R>(
  rows: Stream.Stream<Result.Result<Row, InvalidInput>, E, R>,
  { campaign, emit, isBusy, journal, retryRejected, waitForJournal }: SupplyOptions
) {
  const clock = yield* Clock.Clock
  const pull = yield* Stream.toPull(
    Stream.groupedWithin(rows, rowsPerChunk, fillMillis).pipe(Stream.rechunk(1))
  )
  const totals: Totals = {
    sent: 0,
    rejected: 0,
    unknown: 0,
    closed: 0,
    changed: 0,
    repeated: 0,
    inFlight: 0,
    notSent: 0
  }
  let isRead = false
  const deferred = new Array<ReadonlyArray<Item>>()
  /** Those that are being looked up. A run that stops does not wait for it. */
  let looking: ReadonlyArray<Item> = []
  /** Rows that other processes have in flight. */
  const others = new Array<Item>()
  let othersUntil = 0
  /** When other processes last settled a row; undefined as long as there is something else to do. */
  let settledAt: number | undefined
  let isGivenUp = false

  /** A row that another process has rejected in the meantime is not tried once more. */
  const retriesOf = ({ retries }: Item, { attempt, state }: Standing): number =>
    retries ?? (retryRejected && state === "rejected" ? attempt : -1)

  /** Looks items up. Returns those that are free or in flight, and counts the others. */
  const sort = Effect.fnUntraced(function* (items: ReadonlyArray<Item>) {
    const keyed = items.map((item) => item.keyed)
    looking = items
    const standings = yield* waitForJournal(journal.campaigns.look(keyed))
    looking = []
    const free = new Array<Item>()
    const busy = new Array<Item>()
    for (const [index, item] of items.entries()) {
      const standing = standings[index]
      if (standing === undefined) continue
      const { attempt, changed, send } = standing
      const retries = retriesOf(item, standing)
      const state = stateOf(standing, retries === attempt)
      if (state === "free") {
        const failure = standing.state === "rejected" ? send?.reason : undefined
        free.push({ ...item, attempt, retries, failure, isElsewhere: false })
      } else if (state === "in-flight") {
        busy.push({ ...item, retries, isElsewhere: true })
        othersUntil = Math.max(othersUntil, send?.staleAt ?? 0)
      } else totals[state]++
      if (changed !== undefined) {
        yield* emit({ _tag: "Changed", key: send?.key ?? "", state: changed })
      }
    }
    return { free, busy }
  })

  const read = Pull.catchDone(
    Effect.map(pull, ([chunk]) => chunk),
    () => Effect.succeed(undefined)
  )

  /** Reads the next chunk. Returns its free rows; none if it is left to another process. */
  const readChunk = Effect.gen(function* () {
    const chunk = yield* read
    if (chunk === undefined) {
      isRead = true
      return []
    }
    const items = new Array<Item>()
    for (const given of chunk) {
      const row = yield* Effect.fromResult(given)
      const keyed = journal.identify({ campaign, key: row.key }, row.request)
      items.push({ row, keyed, attempt: 0, failures: 0, isElsewhere: false })
    }
    const { busy, free } = yield* sort(items)
    if (busy.length === 0) return free
    deferred.push([...free, ...busy])
    return []
  })

  const lookAtDeferred = Effect.gen(function* () {
    const { busy, free } = yield* sort(deferred.shift() ?? [])
    others.push(...busy)
    return yield* rotated(free)
  })

  /** Waits as long as others settle their rows. After a pause, it takes a last look and gives up. */
  const lookAtOthers = Effect.gen(function* () {
    const before = others.length
    const { busy, free } = yield* sort(others.splice(0))
    others.push(...busy)
    const now = monotonicMillis(clock)
    if (settledAt === undefined && others.length > 0) {
      yield* emit({ _tag: "WaitingForOthers", rows: others.length })
    }
    if (settledAt === undefined || others.length < before || isBusy()) settledAt = now
    isGivenUp = now - settledAt >= longestPauseMillis
    if (free.length === 0 && others.length > 0 && !isGivenUp) yield* Effect.sleep(pollMillis)
    return free
  })

  const step = Effect.suspend(() => {
    if (deferred.length > (isRead ? 0 : maxDeferredChunks)) return lookAtDeferred
    return isRead ? lookAtOthers : readChunk
  })

  const isOver = () => isRead && deferred.length === 0 && (others.length === 0 || isGivenUp)

  /** Returns rows that were free a moment ago, if any are left. */
  const next = Effect.gen(function* () {
    while (!isOver()) {
      const free = yield* step
      if (free.length > 0) return free
    }
    return []
  })

  return {
    next,
    /**
     * Takes rows back that another process has claimed, and those that wait: it is at work there, so all of them are
     * looked up again later.
     */
    giveBack: (refused: ReadonlyArray<Item>, waiting: ReadonlyArray<Item>) => {
      deferred.push([...refused.map((item) => ({ ...item, isElsewhere: true })), ...waiting])
      settledAt = undefined
      isGivenUp = false
    },
    isOver,
    /** How many rows are in which state. Whoever settles a row counts it. */
    totals,
    /** Counts the rows of other processes, and those that nobody gets any more. */
    end: (waiting: number) => {
      const open = [...deferred.flat(), ...looking]
      totals.inFlight = others.length + open.filter(({ isElsewhere }) => isElsewhere).length
      totals.notSent += waiting + open.filter(({ isElsewhere }) => !isElsewhere).length
      return totals.inFlight === 0 || othersUntil === 0 ? {} : { inFlightUntil: othersUntil }
    }
  }
})
