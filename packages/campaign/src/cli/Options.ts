/**
 * The options of a campaign: converted for the library, and back to arguments of the command.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CampaignOptions } from "../sending/CampaignOptions.ts"
import { UsageError } from "./Failure.ts"

export interface RunFlags {
  readonly concurrency: Option.Option<number>
  readonly messagesPerSecond: Option.Option<number>
  readonly segmentsPerSecond: Option.Option<number>
  readonly maxFailures: Option.Option<number>
  readonly tries: Option.Option<number>
  readonly quietHours: Option.Option<string>
  readonly timeZone: Option.Option<string>
}

const given = (name: keyof CampaignOptions, value: Option.Option<number>): CampaignOptions =>
  Option.isSome(value) ? { [name]: value.value } : {}

const quietHours = Effect.fnUntraced(function* (flags: RunFlags) {
  const hours = Option.getOrUndefined(flags.quietHours)
  const timeZone = Option.getOrUndefined(flags.timeZone)
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

const argOf = (name: string, value: Option.Option<number | string>): ReadonlyArray<string> =>
  Option.match(value, { onNone: () => [], onSome: (text) => [name, String(text)] })

/** Returns the arguments that were given, so that a resumed campaign has the same options. */
export const argsOf = (flags: RunFlags): ReadonlyArray<string> => [
  ...argOf("--concurrency", flags.concurrency),
  ...argOf("--messages-per-second", flags.messagesPerSecond),
  ...argOf("--segments-per-second", flags.segmentsPerSecond),
  ...argOf("--max-failures", flags.maxFailures),
  ...argOf("--tries", flags.tries),
  ...argOf("--quiet-hours", flags.quietHours),
  ...argOf("--time-zone", flags.timeZone)
]

const plain = /^[\w@%+=:,./-]+$/
const quote = "'"
const escapedQuote = "'\\''"

const shellWord = (arg: string): string =>
  plain.test(arg) ? arg : quote + arg.replaceAll(quote, escapedQuote) + quote

/** Returns a line for a POSIX shell. */
export const shellLine = (args: ReadonlyArray<string>): string => args.map(shellWord).join(" ")
