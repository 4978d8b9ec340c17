/** Computes when quiet hours end. */
import { InvalidInput } from "@messaging-topup/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as EffectOption from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { QuietHours } from "../model/Campaign.ts"
import { type Checked, type Option, readOptions } from "../model/Options.ts"

/** Allows a time, and returns its minutes since midnight. */
const minutes =
  (example: string) =>
  (value: unknown): Checked<number> => {
    const time = Predicate.isString(value) ? value : ""
    const [, hours, ofHour] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? []
    return hours === undefined
      ? Result.fail(`it must be a time such as ${example}`)
      : Result.succeed(Number(hours) * 60 + Number(ofHour))
  }

const zoneOf = (value: unknown): Checked<DateTime.TimeZone> =>
  Result.fromOption(
    Predicate.isString(value) ? DateTime.zoneMakeNamed(value) : EffectOption.none(),
    () => "it must be a name of the IANA database, such as Europe/Paris"
  )

const table = {
  from: { check: minutes("21:00") },
  to: { check: minutes("08:00") },
  timeZone: { check: zoneOf }
} satisfies Record<keyof QuietHours, Option<unknown>>

const bag = "quietHours"

const wrong = (field: string, problem: string) =>
  new InvalidInput({ operation: "sendMany", field, problem })

/** Returns when sending may go on, in milliseconds since 1970; undefined if it may go on now. */
export type QuietUntil = (now: number) => number | undefined

const never: QuietUntil = () => undefined

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
  return (now) => {
    const local = DateTime.setZone(DateTime.makeUnsafe(now), timeZone)
    const { day, hour, minute } = DateTime.toParts(local)
    const time = hour * 60 + minute
    const isQuiet = from < to ? time >= from && time < to : time >= from || time < to
    if (!isQuiet) return undefined
    // By the local time, so that a change to or from daylight saving time is taken into account.
    const end = DateTime.setParts(local, {
      day: from > to && time >= from ? day + 1 : day,
      hour: Math.floor(to / 60),
      minute: to % 60,
      second: 0,
      millisecond: 0
    })
    return DateTime.toEpochMillis(end)
  }
})
