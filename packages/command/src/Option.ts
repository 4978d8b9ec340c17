/** The options of a command, as data: parser, help and documents are derived from them. */
import { durationIn } from "@messaging-topup/core/internal/durations"
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

/** An option with one value, which `parse` reads. `whenAbsent` describes the default. */
export const parsed = <A>(
  value: string,
  whenAbsent: string,
  help: string,
  parse: (given: string) => Result.Result<A, string>
): Option<A | undefined> => ({
  kind: "text",
  value,
  help,
  shownDefault: whenAbsent,
  read: (texts) => {
    const given = texts.at(-1)
    return given === undefined ? Result.succeed(given) : parse(given)
  }
})

/** What was read, or what to give instead. */
const orProblem = <A>(value: A | undefined, problem: string): Result.Result<A, string> =>
  value === undefined ? Result.fail(problem) : Result.succeed(value)

/** Uses this value if the option is absent. */
export const withDefault = <A>(
  option: Option<A | undefined>,
  absent: NoInfer<A>,
  shownDefault = String(absent)
): Option<A> => ({
  ...option,
  shownDefault,
  read: (texts) => Result.map(option.read(texts), (value) => value ?? absent)
})

const switchValue = (given: string): Result.Result<boolean, string> =>
  orProblem(
    /^(true|1)$/i.test(given) || (/^(false|0)$/i.test(given) ? false : undefined),
    "give true or false"
  )

/** On or off. */
export const on = (help: string): Option<boolean> => ({
  ...withDefault(parsed("", "", help, switchValue), false, ""),
  kind: "switch"
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
  const problem = `give a whole number from ${minimum} to ${maximum}`
  const read = (given: string) => {
    const number = /^\d{1,9}$/.test(given) ? Number(given) : -1
    return orProblem(number >= minimum && number <= maximum ? number : undefined, problem)
  }
  return { ...withDefault(parsed(value, "", help, read), absent), kind: "count" }
}

/** A duration such as `10 minutes`, within bounds that are written in the same way. */
export const duration = (
  bounds: Readonly<Record<"maximum" | "minimum", Duration.Input & string>>,
  help: string
): Option<Duration.Duration | undefined> => {
  const minimum = Duration.fromInputUnsafe(bounds.minimum)
  const maximum = Duration.fromInputUnsafe(bounds.maximum)
  const problem = `give a duration from ${bounds.minimum} to ${bounds.maximum}, such as "10 minutes"`
  return parsed("duration", "", help, (given) => {
    const value = getOrUndefined(durationIn(given))
    const isAllowed = value !== undefined && Duration.between(value, { minimum, maximum })
    return orProblem(isAllowed ? value : undefined, problem)
  })
}

type Described<A> = (value: string, whenAbsent: string, help: string) => Option<A | undefined>

/** Any text. */
export const text: Described<string> = (...described) => parsed(...described, Result.succeed)

/** Any texts: the option may be repeated. */
export const list: Described<ReadonlyArray<string>> = (...described) => ({
  ...text(...described),
  kind: "list",
  read: (texts) => Result.succeed(texts.length === 0 ? undefined : texts)
})

/** A number whose bounds the library checks. */
export const number: Described<number> = (...described) =>
  parsed(...described, (given) =>
    orProblem(/^\d+(\.\d+)?$/.test(given) ? Number(given) : undefined, "give a number")
  )

/** `sent, not-sent or resend`. */
export const anyOf = (words: ReadonlyArray<string>): string =>
  `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

/** One of a few words. */
export const choice = <const A extends string>(
  choices: ReadonlyArray<A>,
  whenAbsent: string,
  help: string
): Option<A | undefined> => {
  const problem = `give ${anyOf(choices)}`
  const read = (given: string) =>
    orProblem(
      choices.find((known) => known === given),
      problem
    )
  return { ...parsed(choices.join("|"), whenAbsent, help, read), choices }
}

/** A required argument without a name, such as a file. Arguments have the order of their table. */
export const argument = (value: string, help: string): Option<string> => ({
  ...text(value, "", help),
  kind: "argument",
  read: ([given]) => orProblem(given, "it is missing")
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
