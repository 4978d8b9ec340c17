/** Formats numbers and lengths of time for people. */

const grouped = new Intl.NumberFormat("en")

export const numberOf = (value: number): string => grouped.format(value)

/** `1 row`, `2 rows`. */
export const counted = (value: number, thing: string): string =>
  `${numberOf(value)} ${thing}${value === 1 ? "" : "s"}`

/** Shows 0% only for none, and 100% only for all. */
export const share = (part: number, whole: number): string => {
  if (part === 0 || part === whole) return part === 0 ? "0%" : "100%"
  const percent = (part / whole) * 100
  if (percent < 0.1) return "<0.1%"
  return percent > 99.9 ? ">99.9%" : `${percent.toFixed(1)}%`
}

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
