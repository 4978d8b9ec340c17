/** The options of a command, as data: parser, help and documents are derived from them. */
import { durationIn } from "@messaging-topup/core/internal"
import * as Duration from "effect/Duration"
import { getOrUndefined } from "effect/Option"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"

/** One option, or one argument of a command, with the type of its value. */
export interface Option<out A> {
  readonly kind: "argument" | "count" | "list" | "switch" | "text"
  /** What the help calls its value, such as `path`; empty for a switch. */
  readonly value: string
  readonly help: string
  /** The default, as the help shows it; empty if there is none. */
  readonly shownDefault: string
  /** The words that a choice accepts. */
  readonly choices?: ReadonlyArray<string>
  /** Reads what was given: no text if the option is absent. A failure says what to give instead. */
  readonly read: (texts: ReadonlyArray<string>) => Result.Result<A, string>
}

/** A table of options, whose values are `V`. */
export type Options<V> = { readonly [K in keyof V]: Option<V[K]> }

/** The values of a table of options. */
export type Values<O> = { readonly [K in keyof O]: O[K] extends Option<infer A> ? A : never }

const single =
  <A, B>(absent: B, read: (given: string) => A | undefined, problem: string) =>
  (texts: ReadonlyArray<string>): Result.Result<A | B, string> => {
    const given = texts.at(-1)
    if (given === undefined) return Result.succeed(absent)
    const value = read(given)
    return value === undefined ? Result.fail(problem) : Result.succeed(value)
  }

const switchValue = (given: string): boolean | undefined =>
  /^(true|1)$/i.test(given) || (/^(false|0)$/i.test(given) ? false : undefined)

/** On or off. */
export const on = (help: string): Option<boolean> => ({
  kind: "switch",
  value: "",
  help,
  shownDefault: "",
  read: single(false, switchValue, "give true or false")
})

/** The options that every command has. */
export const general = {
  help: on("Prints this help"),
  version: on("Prints the version")
}

/** A whole number. */
export const count = (
  value: string,
  {
    default: absent,
    maximum,
    minimum
  }: Readonly<Record<"default" | "maximum" | "minimum", number>>,
  help: string
): Option<number> => {
  const read = (given: string): number | undefined => {
    const parsed = /^\d{1,9}$/.test(given) ? Number(given) : -1
    return parsed >= minimum && parsed <= maximum ? parsed : undefined
  }
  const problem = `give a whole number from ${minimum} to ${maximum}`
  const described = text(value, String(absent), help)
  return { ...described, kind: "count", read: single(absent, read, problem) }
}

/** Writes a duration in the largest unit that makes it a whole number. */
const durationText = (value: Duration.Duration): string => {
  const [amount, unit] = (
    [
      [Duration.toDays(value), "day"],
      [Duration.toHours(value), "hour"],
      [Duration.toMinutes(value), "minute"]
    ] as const
  ).find(([each]) => each >= 1 && Number.isInteger(each)) ?? [Duration.toSeconds(value), "second"]
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`
}

/** Timers of Node overflow after 2^31 ms, which is less than 25 days. */
const longestTimer = Duration.days(24)

/** A duration such as `10 minutes`. */
export const duration = (
  bounds: {
    readonly default: Duration.Input
    readonly minimum: Duration.Input
    readonly maximum?: Duration.Input
  },
  help: string
): Option<Duration.Duration> => {
  const absent = Duration.fromInputUnsafe(bounds.default)
  const minimum = Duration.fromInputUnsafe(bounds.minimum)
  const maximum = Duration.fromInputUnsafe(bounds.maximum ?? longestTimer)
  const read = (given: string): Duration.Duration | undefined => {
    const parsed = getOrUndefined(durationIn(given))
    return parsed !== undefined && Duration.between(parsed, { minimum, maximum })
      ? parsed
      : undefined
  }
  const problem = `give a duration from ${durationText(minimum)} to ${durationText(maximum)}, such as "10 minutes"`
  const described = text("duration", durationText(absent), help)
  return { ...described, read: single(absent, read, problem) }
}

/** `whenAbsent` describes the default. */
type Described<A> = (value: string, whenAbsent: string, help: string) => Option<A | undefined>

/** Any text. */
export const text: Described<string> = (value, whenAbsent, help) => ({
  kind: "text",
  value,
  help,
  shownDefault: whenAbsent,
  read: (texts) => Result.succeed(texts.at(-1))
})

/** Any texts: the option may be repeated. */
export const list: Described<ReadonlyArray<string>> = (value, whenAbsent, help) => ({
  ...text(value, whenAbsent, help),
  kind: "list",
  read: (texts) => Result.succeed(texts.length === 0 ? undefined : texts)
})

const decimal = (given: string): number | undefined =>
  /^\d+(\.\d+)?$/.test(given) ? Number(given) : undefined

/** A number whose bounds the library checks. */
export const number: Described<number> = (value, whenAbsent, help) => ({
  ...text(value, whenAbsent, help),
  read: single(undefined, decimal, "give a number")
})

/** One of a few words. */
export const choice = <const A extends string>(
  choices: ReadonlyArray<A>,
  whenAbsent: string,
  help: string
): Option<A | undefined> => {
  const read = (given: string) => choices.find((known) => known === given)
  const problem = `give ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`
  const described = text(choices.join("|"), whenAbsent, help)
  return { ...described, choices, read: single(undefined, read, problem) }
}

/** Refuses other values. */
export const allowing = <A>(
  option: Option<A>,
  isAllowed: (value: A) => boolean,
  problem: string
): Option<A> => ({
  ...option,
  read: (texts) => Result.filterOrFail(option.read(texts), isAllowed, () => problem)
})

/** Uses this value if the option is absent. */
export const withDefault = <A extends string>(
  option: Option<A | undefined>,
  absent: NoInfer<A>
): Option<A> => ({
  ...option,
  shownDefault: absent,
  read: (texts) => Result.map(option.read(texts), (value) => value ?? absent)
})

/** Has no value if it is absent. */
export const ifGiven = <A>(option: Option<A>): Option<A | undefined> => ({
  ...option,
  shownDefault: "",
  read: (texts) => (texts.length === 0 ? Result.succeed(undefined) : option.read(texts))
})

/** A required argument without a name, such as a file. Arguments have the order of their table. */
export const argument = (value: string, help: string): Option<string> => ({
  ...text(value, "", help),
  kind: "argument",
  read: ([given]) => (given === undefined ? Result.fail("it is missing") : Result.succeed(given))
})

/** The argument of an option: `maxFailures` is `--max-failures`. */
export const flagOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const entry = ([name, option]: readonly [string, Option<unknown>]): string => {
  const value = option.value === "" ? "" : ` <${option.value}>`
  const title = option.kind === "argument" ? value.trim() : `${flagOf(name)}${value}`
  const note = option.shownDefault === "" ? "" : ` (default: ${option.shownDefault})`
  return `  ${title}\n      ${option.help}${note}`
}

/** Options of any types, by their names. */
export type AnyOptions = Readonly<Record<string, Option<unknown>>>

/** The lines of these options. */
export const helpOf = (options: AnyOptions): string => Object.entries(options).map(entry).join("\n")

/** The same for many options, in groups with titles. */
export const helpOfGroups = (groups: Readonly<Record<string, AnyOptions>>): string =>
  Object.entries(groups)
    .map(([title, options]) => `${title}:\n${helpOf(options)}`)
    .join("\n\n")

/** The arguments that give these values of options again. */
export const argumentsOf = <N extends string>(
  options: Readonly<Record<N, Option<unknown>>>,
  values: Readonly<Record<NoInfer<N>, unknown>>
): ReadonlyArray<string> =>
  Struct.keys(options).flatMap((name) => {
    const value = values[name]
    if (value === true) return [flagOf(name)]
    if (typeof value !== "string") return []
    // Otherwise it would be an option of its own.
    return value.startsWith("-") ? [`${flagOf(name)}=${value}`] : [flagOf(name), value]
  })
