/** Times for people: in a time zone, and with its offset, because a time alone can mean several moments. */
import * as DateTime from "effect/DateTime"

type Zone = DateTime.TimeZone

const zoned = (millis: number, zone: Zone): DateTime.Zoned =>
  DateTime.makeZonedUnsafe(millis, { timeZone: zone })

/** How much later than UTC the clocks of the zone show, in milliseconds. */
export const offsetOf = (millis: number, zone: Zone): number =>
  DateTime.zonedOffset(zoned(millis, zone))

/** `2026-11-21T14:03:10.000+03:00` */
const iso = (millis: number, zone: Zone): string => DateTime.formatIsoOffset(zoned(millis, zone))

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
