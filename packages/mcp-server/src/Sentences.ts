/** How sentences of this server count, say times, and name some of many. */
import * as DateTime from "effect/DateTime"

export const plural = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? "" : "s"}`

/** Formats a time as tool results show it. */
export const isoOf = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** Says a time in a sentence. */
export const timeOf = (millis: number): string =>
  `${isoOf(millis).slice(0, 16).replace("T", " ")} UTC`

/** Says the minute at whose beginning a time is over: sends of one call have mostly the same. */
export const minuteFrom = (millis: number): string => timeOf(Math.ceil(millis / 60_000) * 60_000)

/** Says how long ago it was, in the unit that a person would take. */
export const agoOf = (millis: number): string => {
  const minutes = Math.max(0, Math.round(millis / 60_000))
  if (minutes === 0) return "less than a minute ago"
  if (minutes < 120) return `${plural(minutes, "minute")} ago`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} hours ago` : `${Math.round(hours / 24)} days ago`
}

/** Writes row numbers as ranges, such as `3, 7, 13-40`. They must be in order. */
export const rangesOf = (numbers: ReadonlyArray<number>): string => {
  const ranges: Array<[number, number]> = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ")
}

const maxProblems = 10

/** Names the first of many problems, and counts the others. */
export const firstOf = (problems: ReadonlyArray<string>): string => {
  const more = problems.length - maxProblems
  return [...problems.slice(0, maxProblems), ...(more > 0 ? [`and ${more} more`] : [])].join("; ")
}

/** Leaves out empty sentences. */
export const sentences = (...each: ReadonlyArray<string>): string =>
  each.filter((sentence) => sentence !== "").join(" ")
