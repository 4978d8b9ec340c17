/** Times for people: in a time zone, and with its offset, because a time alone can mean several moments. */
import { refuse, text as textOption, type UsageError } from "@messaging-topup/command"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"

type Zone = DateTime.TimeZone

const inZone = (millis: number, zone: Zone): DateTime.Zoned =>
  DateTime.makeZonedUnsafe(millis, { timeZone: zone })

export const zoned = {
  timeZone: textOption(
    "zone",
    "that of this machine",
    "The time zone of the times that are shown, by its IANA name, such as Africa/Nairobi"
  )
}

/** Returns the zone of the times that are shown: that of this machine, if none is given. */
export const zoneOf = (given: string | undefined): Effect.Effect<Zone, UsageError> =>
  given === undefined
    ? Effect.sync(DateTime.zoneMakeLocal)
    : Effect.catch(Effect.fromOption(DateTime.zoneMakeNamed(given)), () =>
        refuse("--time-zone: give a name of the IANA database, such as Africa/Nairobi")
      )

/** How much later than UTC the clocks of the zone show, in milliseconds. */
export const offsetOf = (millis: number, zone: Zone): number =>
  DateTime.zonedOffset(inZone(millis, zone))

/** `2026-11-21T14:03:10.000+03:00` */
const iso = (millis: number, zone: Zone): string => DateTime.formatIsoOffset(inZone(millis, zone))

interface Parts {
  /** `2026-11-21` */
  readonly day: string
  /** `14:03:10` */
  readonly clock: string
  /** `+03:00` */
  readonly offset: string
}

export const partsOf = (millis: number, zone: Zone): Parts => {
  const text = iso(millis, zone)
  return { day: text.slice(0, 10), clock: text.slice(11, 19), offset: text.slice(23) }
}

/** `2026-11-21 14:03:10 +03:00` */
export const second = (millis: number, zone: Zone): string => {
  const { clock, day, offset } = partsOf(millis, zone)
  return `${day} ${clock} ${offset}`
}

/** `2026-11-21T14:03:10.000Z`: for programs. */
export const utc = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))
