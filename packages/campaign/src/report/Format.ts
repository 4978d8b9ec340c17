/**
 * Formats numbers and times for the page. Times are UTC, because readers may be in any time zone.
 */
import * as DateTime from "effect/DateTime"

const grouped = new Intl.NumberFormat("en")
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })

export const count = (value: number): string => grouped.format(value)

/** `1 row`, `2 rows`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/** Shows 0% only for none, and 100% only for all. */
export const share = (part: number, whole: number): string => {
  if (part === 0 || part === whole) return part === 0 ? "0%" : "100%"
  const percent = (part / whole) * 100
  if (percent < 0.1) return "<0.1%"
  return percent > 99.9 ? ">99.9%" : `${percent.toFixed(1)}%`
}

const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** `2026-11-21 14:03:10` */
export const second = (millis: number): string => iso(millis).slice(0, 19).replace("T", " ")

/** `14:03:10` */
const clock = (millis: number): string => second(millis).slice(11)

/** `2026-11-21 14:03:10 to 16:20:00` */
export const range = (from: number, to: number): string => {
  const isSameDay = iso(from).slice(0, 10) === iso(to).slice(0, 10)
  return `${second(from)} to ${isSameDay ? clock(to) : second(to)}`
}

export const machine = (millis: number): string => `${iso(millis).slice(0, 19)}Z`

/** `21 November 2026, 14:03` */
export const date = (millis: number): string =>
  DateTime.formatUtc(DateTime.makeUnsafe(millis), {
    locale: "en-GB",
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit"
  })

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000]
] as const

/** The width of a bucket: `second`, `5 minutes`. */
export const width = (millis: number): string => {
  const [unit, size] = units.find(([, each]) => millis % each === 0) ?? units[3]
  const value = millis / size
  return value === 1 ? unit : `${value} ${unit}s`
}

/** `12k` for 12,000: for the labels of an axis. */
export const short = (value: number): string => compact.format(value).toLowerCase()
