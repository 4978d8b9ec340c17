/**
 * Hands out the rows that may be claimed, in chunks.
 *
 * A chunk in which another process is at work is left to that process at first, so that several processes
 * leap over each other. The rows that are left are looked at again at the end, or when they are too many.
 */
import type { SendJournal, Standing } from "@messaging-topup/journal"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import { type KeyedRow, keyed, problemOf, type Row, stateOf } from "./Row.ts"
import type { RowCounts, SendManyEvent } from "./SendManyEvent.ts"
import { waitForJournal } from "./WaitForJournal.ts"

/** How many rows are looked up, and left to another process, at once. */
export const rowsPerChunk = 512

const maxLeftChunks = 10

/** A chunk that is not full waits so long for more rows of a slow stream. */
const fillMillis = 50

/** Rows of a running process end soon, and those of a dead one only after its deadline. */
const firstPollMillis = 50
const longestPollMillis = 1000

/** A row that is not settled. */
export interface Item {
  readonly row: Row
  readonly known: KeyedRow
  /** The rows that were looked up together. */
  readonly chunk: object
  readonly turn: number
  /** How it failed the last time. */
  readonly failure?: string | undefined
  /** How often it failed in this run without going out. */
  readonly failures: number
}

export type Totals = { -readonly [State in keyof RowCounts]: number }

interface SupplyOptions {
  readonly journal: SendJournal["Service"]
  readonly campaign: string
  readonly retryRejected: boolean
  /** Counts the rows that the journal has already. */
  readonly totals: Totals
  readonly emit: (event: SendManyEvent) => Effect.Effect<void>
}

/** Begins at a random row: two processes that share a chunk meet once, and not at every row. */
const rotated = Effect.fnUntraced(function* (items: ReadonlyArray<Item>) {
  const start = yield* Random.nextIntBetween(0, Math.max(0, items.length - 1))
  return [...items.slice(start), ...items.slice(0, start)]
})

export const make = Effect.fnUntraced(function* <E, R>(
  rows: Stream.Stream<Row, E, R>,
  { campaign, emit, journal, retryRejected, totals }: SupplyOptions
) {
  const startedAt = yield* Clock.currentTimeMillis
  const pull = yield* Stream.toPull(
    Stream.groupedWithin(rows, rowsPerChunk, fillMillis).pipe(Stream.rechunk(1))
  )
  let isRead = false
  const left = new Array<ReadonlyArray<Item>>()
  /** Rows that other processes have in flight. */
  const others = new Array<Item>()
  let othersUntil = 0
  let pollMillis = firstPollMillis

  /** A row that another process has rejected in the meantime is not tried once more. */
  const mayRetry = ({ send }: Standing): boolean =>
    retryRejected && (send?.settledAt ?? 0) <= startedAt

  /** Looks items up. Returns those that are free or in flight, and counts the others. */
  const sort = Effect.fnUntraced(function* (items: ReadonlyArray<Item>) {
    const known = items.map((item) => item.known)
    const standings = yield* waitForJournal(journal.campaigns.look(campaign, known), emit)
    const free = new Array<Item>()
    const busy = new Array<Item>()
    const chunk = {}
    for (const [index, item] of items.entries()) {
      const standing = standings[index]
      if (standing === undefined) continue
      const { send, turn } = standing
      const state = stateOf(standing, mayRetry(standing))
      if (state === "free") {
        const failure = standing.state === "rejected" ? send?.reason : undefined
        free.push({ ...item, chunk, turn, failure })
      } else if (state === "in-flight") {
        busy.push(item)
        othersUntil = Math.max(othersUntil, send?.staleAt ?? 0)
      } else totals[state]++
      if (state === "changed") yield* emit({ _tag: "Changed", key: item.row.key })
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
    for (const row of chunk) {
      const wrong = problemOf(row)
      if (wrong !== undefined) return yield* Effect.fail(wrong)
      items.push({ row, known: keyed(journal, campaign, row), chunk, turn: 0, failures: 0 })
    }
    const { busy, free } = yield* sort(items)
    if (busy.length === 0) return free
    left.push([...free, ...busy])
    return []
  })

  const lookAtLeft = Effect.gen(function* () {
    const { busy, free } = yield* sort(left.shift() ?? [])
    others.push(...busy)
    return yield* rotated(free)
  })

  const lookAtOthers = Effect.gen(function* () {
    const before = others.length
    const { busy, free } = yield* sort(others.splice(0, rowsPerChunk))
    others.push(...busy)
    if (free.length > 0 || others.length < before) {
      pollMillis = firstPollMillis
      return free
    }
    yield* emit({ _tag: "WaitingForOthers", rows: others.length, until: othersUntil })
    yield* Effect.sleep(pollMillis)
    pollMillis = Math.min(pollMillis * 2, longestPollMillis)
    return free
  })

  const step = Effect.suspend(() => {
    if (left.length > (isRead ? 0 : maxLeftChunks)) return lookAtLeft
    return isRead ? lookAtOthers : readChunk
  })

  const isOver = () => isRead && left.length === 0 && others.length === 0

  /** Returns rows that were free a moment ago; undefined if none is left. */
  const next = Effect.gen(function* () {
    while (!isOver()) {
      const free = yield* step
      if (free.length > 0) return free
    }
    return undefined
  })

  return {
    next,
    /** Takes rows back that another process has claimed, and others of their chunk. */
    giveBack: (items: ReadonlyArray<Item>) => {
      left.push(items)
    },
    /** How many rows are not settled, and were not handed out. */
    size: () => others.length + left.reduce((sum, items) => sum + items.length, 0)
  }
})
