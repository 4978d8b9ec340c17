/**
 * The options of a campaign: converted for the library, and back to arguments of the command.
 */
import { flagOf, UsageError, type Values } from "@messaging-topup/sandbox/command-line"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import type { CampaignOptions } from "../sending/CampaignOptions.ts"
import { sending } from "./Flags.ts"

/** Commands that do not send have none of these options. */
export type RunFlags = Partial<Values<typeof sending>>

/** The fields of the library whose values are numbers. */
type NumberField = {
  [K in keyof CampaignOptions]-?: number extends CampaignOptions[K] ? K : never
}[keyof CampaignOptions]

/**
 * The field of the library that each flag sets, without the flags of the quiet hours. The compiler asks
 * for each flag.
 */
const fieldOf = {
  concurrency: "concurrency",
  messagesPerSecond: "messagesPerSecond",
  segmentsPerSecond: "segmentsPerSecond",
  accountMessagesPerSecond: "accountMessagesPerSecond",
  accountSegmentsPerSecond: "accountSegmentsPerSecond",
  maxFailures: "maxFailuresInARow",
  tries: "tries"
} as const satisfies Readonly<
  Record<Exclude<keyof typeof sending, "quietHours" | "timeZone">, NumberField>
>

/** Returns the option that sets a field of the library. */
export const flagOfField = (field: string): string => {
  if (field.startsWith("quietHours.")) return "--quiet-hours"
  return flagOf(Record.keys(fieldOf).find((flag) => fieldOf[flag] === field) ?? field)
}

/** Returns the zone of the times that are shown. */
export const zoneOf = ({
  timeZone
}: Pick<RunFlags, "timeZone">): Effect.Effect<DateTime.TimeZone, UsageError> => {
  if (timeZone === undefined) return Effect.sync(DateTime.zoneMakeLocal)
  return Effect.mapError(
    Effect.fromOption(DateTime.zoneMakeNamed(timeZone)),
    () =>
      new UsageError({
        problem: "--time-zone: give a name of the IANA database, such as Africa/Nairobi"
      })
  )
}

const quietHoursOf = Effect.fnUntraced(function* ({ quietHours: hours, timeZone }: RunFlags) {
  if (hours === undefined) return {}
  if (timeZone === undefined) {
    // This machine may be in another zone than the recipients.
    return yield* new UsageError({
      problem:
        "--quiet-hours needs the zone of the recipients, such as --quiet-hours 21:00-08:00 --time-zone Africa/Nairobi"
    })
  }
  const [from = "", to = "", ...rest] = hours.split("-")
  if (to === "" || rest.length > 0) {
    return yield* new UsageError({ problem: "--quiet-hours: give two times, such as 21:00-08:00" })
  }
  return { quietHours: { from, to, timeZone } }
})

export const optionsOf = Effect.fnUntraced(function* (
  flags: RunFlags
): Effect.fn.Return<CampaignOptions, UsageError> {
  const quiet = yield* quietHoursOf(flags)
  const numbers: Partial<Record<NumberField, number>> = {}
  for (const flag of Record.keys(fieldOf)) {
    const value = flags[flag]
    if (value !== undefined) numbers[fieldOf[flag]] = value
  }
  return { ...numbers, ...quiet }
})

/** Returns the arguments that were given, so that a resumed campaign has the same options. */
export const argsOf = (flags: RunFlags): ReadonlyArray<string> =>
  Record.toEntries(sending).flatMap(([name]) => {
    const value = flags[name]
    return value === undefined ? [] : [flagOf(name), String(value)]
  })
