/** Computes when quiet hours end. */
import { InvalidInput } from "@messaging-topup/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as EffectOption from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { QuietHours } from "../model/Campaign.ts"
import { type Checked, type Option, readOptions } from "../model/Options.ts"

const minuteMillis = 60_000
const dayMillis = 24 * 60 * minuteMillis

/** Allows a time, and returns its milliseconds since midnight. */
const timeOfDay =
  (example: string) =>
  (value: unknown): Checked<number> => {
    const time = Predicate.isString(value) ? value : ""
    const [, hours, ofHour] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? []
    return hours === undefined
      ? Result.fail(`it must be a time such as ${example}`)
      : Result.succeed((Number(hours) * 60 + Number(ofHour)) * minuteMillis)
  }

const zoneOf = (value: unknown): Checked<DateTime.TimeZone> =>
  Result.fromOption(
    Predicate.isString(value) ? DateTime.zoneMakeNamed(value) : EffectOption.none(),
    () => "it must be a name of the IANA database, such as Europe/Paris"
  )

const table = {
  from: { check: timeOfDay("21:00") },
  to: { check: timeOfDay("08:00") },
  timeZone: { check: zoneOf }
} satisfies Record<keyof QuietHours, Option<unknown>>

const bag = "quietHours"

const wrong = (field: string, problem: string) =>
  new InvalidInput({ operation: "sendMany", field, problem })

/** Returns when sending may go on, in milliseconds since 1970; undefined if it may go on now. */
export type QuietUntil = (now: number) => number | undefined

const never: QuietUntil = () => undefined

/** How much later than UTC the clocks show. */
const offsetAt = (millis: number, timeZone: DateTime.TimeZone): number =>
  DateTime.zonedOffset(DateTime.makeZonedUnsafe(millis, { timeZone }))

/** Returns when the clocks change between two moments with different offsets. */
const changeBetween = (before: number, after: number, timeZone: DateTime.TimeZone): number => {
  const offset = offsetAt(before, timeZone)
  let [from, to] = [before, after]
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2)
    if (offsetAt(middle, timeZone) === offset) from = middle
    else to = middle
  }
  return to
}

/** Gets any value, because a script without types can pass anything. */
export const make = Effect.fnUntraced(function* (
  quiet: unknown
): Effect.fn.Return<QuietUntil, InvalidInput> {
  if (quiet === undefined) return never
  const { from, timeZone, to } = yield* Effect.mapError(
    Effect.fromResult(readOptions("sendMany", table, quiet, bag)),
    ({ field, problem }) => wrong(field === bag ? bag : `${bag}.${field}`, problem)
  )
  if (from === to) {
    return yield* Effect.fail(wrong(`${bag}.to`, `it must differ from ${bag}.from`))
  }
  const isQuiet = (time: number): boolean =>
    from < to ? time >= from && time < to : time >= from || time < to
  const quietUntil: QuietUntil = (now) => {
    const offset = offsetAt(now, timeZone)
    const time = (now + offset) % dayMillis
    if (!isQuiet(time)) return undefined
    const end = now + ((to - time + dayMillis) % dayMillis)
    if (offsetAt(end, timeZone) === offset) return end
    // The clocks change before that, and may skip the end, or show a time twice.
    const change = changeBetween(now, end, timeZone)
    return quietUntil(change) ?? change
  }
  return quietUntil
})
