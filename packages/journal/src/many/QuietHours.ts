/** Computes when quiet hours end. */
import { InvalidInput } from "@messaging-topup/core"
import * as DateTime from "effect/DateTime"
import * as EffectOption from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { QuietHours } from "../model/Campaign.ts"
import { type Checked, type Option, readOptions } from "../model/Options.ts"

const minuteMillis = 60_000
const dayMillis = 24 * 60 * minuteMillis

/** Clocks change at a quarter of an hour. */
const changeMillis = 15 * minuteMillis

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

/** Gets any value, because a script without types can pass anything. */
export const make = (quiet: unknown): Result.Result<QuietUntil, InvalidInput> => {
  if (quiet === undefined) return Result.succeed(() => undefined)
  const read = readOptions("sendMany", table, quiet, bag)
  if (Result.isFailure(read)) {
    const { field, problem } = read.failure
    return Result.fail(wrong(field === bag ? bag : `${bag}.${field}`, problem))
  }
  const { from, timeZone, to } = read.success
  if (from === to) return Result.fail(wrong(`${bag}.to`, `it must differ from ${bag}.from`))
  /** For how long it is quiet at a moment, if the clocks do not change before. */
  const quietMillis = (at: number): number => {
    const time = (at + DateTime.zonedOffset(DateTime.makeZonedUnsafe(at, { timeZone }))) % dayMillis
    const isQuiet = from < to ? time >= from && time < to : time >= from || time < to
    return isQuiet ? (to - time + dayMillis) % dayMillis : 0
  }
  return Result.succeed((now) => {
    let at = now
    // Where clocks change, they may skip the end, or show a time twice.
    for (let left = quietMillis(at); left > 0; left = quietMillis(at)) {
      at += Math.min(left, changeMillis - (at % changeMillis))
    }
    return at === now ? undefined : at
  })
}
