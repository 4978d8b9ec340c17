/**
 * The options of a campaign: converted for the library, and back to arguments of the command.
 */
import { flagOf, UsageError, type Values } from "@messaging-topup/sandbox/command-line"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import type { CampaignOptions } from "../sending/CampaignOptions.ts"
import { sending } from "./Flags.ts"

/** Commands that do not send have none of these options. */
export type RunFlags = Partial<Values<typeof sending>>

const given = (name: keyof CampaignOptions, value: number | undefined): CampaignOptions =>
  value === undefined ? {} : { [name]: value }

const quietHours = Effect.fnUntraced(function* ({ quietHours: hours, timeZone }: RunFlags) {
  if (hours === undefined && timeZone === undefined) return {}
  if (hours === undefined || timeZone === undefined) {
    return yield* new UsageError({
      problem:
        "--quiet-hours and --time-zone must be given together, such as --quiet-hours 21:00-08:00 --time-zone Africa/Nairobi"
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
  return {
    ...given("concurrency", flags.concurrency),
    ...given("messagesPerSecond", flags.messagesPerSecond),
    ...given("segmentsPerSecond", flags.segmentsPerSecond),
    ...given("maxFailuresInARow", flags.maxFailures),
    ...given("tries", flags.tries),
    ...(yield* quietHours(flags))
  }
})

/** Returns the arguments that were given, so that a resumed campaign has the same options. */
export const argsOf = (flags: RunFlags): ReadonlyArray<string> =>
  Record.toEntries(sending).flatMap(([name]) => {
    const value = flags[name]
    return value === undefined ? [] : [flagOf(name), String(value)]
  })
