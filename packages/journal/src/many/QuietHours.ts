/** Computes when quiet hours end. */
import { InvalidInput } from "@messaging-topup/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { QuietHours } from "../model/Campaign.ts"

const minutesOf = (time: string): number | undefined => {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? []
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes)
}

const wrong = (field: string, problem: string) =>
  Effect.fail(new InvalidInput({ operation: "sendMany", field: `quietHours.${field}`, problem }))

/** Returns when sending may go on, in milliseconds since 1970; undefined if it may go on now. */
export type QuietUntil = (now: number) => number | undefined

const never: QuietUntil = () => undefined

export const make = Effect.fnUntraced(function* (
  quiet: QuietHours | undefined
): Effect.fn.Return<QuietUntil, InvalidInput> {
  if (quiet === undefined) return never
  const from = minutesOf(quiet.from)
  const to = minutesOf(quiet.to)
  if (from === undefined) return yield* wrong("from", "it must be a time such as 21:00")
  if (to === undefined) return yield* wrong("to", "it must be a time such as 08:00")
  if (from === to) return yield* wrong("to", "it must differ from quietHours.from")
  const zone = Option.getOrUndefined(DateTime.zoneMakeNamed(quiet.timeZone))
  if (zone === undefined) {
    return yield* wrong("timeZone", "it must be a name of the IANA database, such as Europe/Paris")
  }
  return (now) => {
    const local = DateTime.setZone(DateTime.makeUnsafe(now), zone)
    const { day, hour, minute } = DateTime.toParts(local)
    const minutes = hour * 60 + minute
    const isQuiet = from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to
    if (!isQuiet) return undefined
    // By the local time, so that a change to or from daylight saving time is taken into account.
    const end = DateTime.setParts(local, {
      day: from > to && minutes >= from ? day + 1 : day,
      hour: Math.floor(to / 60),
      minute: to % 60,
      second: 0,
      millisecond: 0
    })
    return DateTime.toEpochMillis(end)
  }
})
