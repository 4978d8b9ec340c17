/**
 * When the requests of an attempt's waiting rows may start, by the rates that all processes share.
 */
import type { Row } from "@messaging-topup/journal"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { monotonicMillis, type Reserved } from "./Pace.ts"

/** Turns are reserved so long before they are needed, because time that nobody reserved is lost. */
const reservedAheadMillis = 50

export interface Turns {
  /** Returns how many of these waiting rows may be claimed now, and reserves turns for the next ones. */
  readonly take: (waiting: ReadonlyArray<Row>) => Effect.Effect<number>
  /** How long it takes until more rows may be claimed, in milliseconds. */
  readonly waitMillis: () => number
  /** Gives up the turns that are not taken in time. */
  readonly drop: () => void
}

export const make = (
  reserve: (rows: ReadonlyArray<Row>) => Effect.Effect<Reserved>,
  clock: Clock.Clock
): Turns => {
  /** When the turns of the first waiting rows come, by the monotonic clock. */
  const turns = new Array<number>()
  /** Before this time, a reservation would be too early. */
  let reservableAt = 0

  const reserveFor = Effect.fnUntraced(function* (rows: ReadonlyArray<Row>) {
    const { count, spacingMillis, wait } = yield* reserve(rows)
    const then = monotonicMillis(clock) + Duration.toMillis(wait)
    if (count === 0) reservableAt = then
    for (let index = 0; index < count; index++) turns.push(then + index * spacingMillis)
  })

  const take = Effect.fnUntraced(function* (waiting: ReadonlyArray<Row>) {
    const before = monotonicMillis(clock)
    const isAhead = (turns.at(-1) ?? 0) > before + reservedAheadMillis
    if (turns.length < waiting.length && !isAhead && before >= reservableAt) {
      yield* reserveFor(waiting.slice(turns.length))
    }
    const now = monotonicMillis(clock)
    const due = turns.filter((at) => at <= now).length
    return turns.splice(0, Math.min(due, waiting.length)).length
  })

  return {
    drop: () => {
      turns.length = 0
    },
    take,
    waitMillis: () => Math.max(1, (turns[0] ?? reservableAt) - monotonicMillis(clock))
  }
}
