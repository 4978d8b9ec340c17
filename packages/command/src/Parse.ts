/** Parses arguments and variables by a table of options. An argument takes precedence over a variable. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import { parseArgs } from "node:util"
import { type AnyOptions, flagOf, general, type Options } from "./Option.ts"

/** `problem` names the option and says what to do. It never repeats a value, which could be a secret. */
export class UsageError extends Data.TaggedError("UsageError")<{
  readonly problem: string
  /** The command whose help says more. */
  readonly command?: string
}> {
  override get message(): string {
    const { command, problem } = this
    if (command === undefined) return problem
    return `${problem}${/[.?]$/.test(problem) ? "" : "."} See ${command} --help`
  }
}

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The environment variables of a command. */
export interface Variables {
  /** Every option is also a variable: this prefix, and its name in capitals. */
  readonly prefix: string
  /** All variables with this prefix: those of options, and others. */
  readonly known: ReadonlyArray<string>
}

/** The options of a command. */
interface Table<V> {
  /** Names in camel case, such as `maxFailures`, are written with hyphens. */
  readonly options: Options<V>
  readonly variables?: Variables | undefined
}

interface Gathered {
  /** The words that are neither options nor arguments of the table. */
  readonly rest: ReadonlyArray<string>
  /** Where the last of them stands. */
  readonly restProblem: string
  /** The texts of each option that was given. */
  readonly texts: ReadonlyMap<string, ReadonlyArray<string>>
}

/** What the operator gave. Values are checked when they are read. */
export interface Given<V> extends Pick<Gathered, "rest"> {
  /** Whether the option was given, as an argument or as a variable. */
  readonly isSet: (name: keyof V & string) => boolean
  /** The value of an option: of the argument, of the variable, or the default. */
  readonly value: <N extends keyof V & string>(name: N) => Effect.Effect<V[N], UsageError>
  /** All values. Fails if there are other words. */
  readonly values: Effect.Effect<V, UsageError>
}

/** The variable of an option. */
export const variableOf = (prefix: string, name: string): string =>
  prefix + flagOf(name).slice(2).toUpperCase().replaceAll("-", "_")

/** Fails because the options are wrong. */
export const refuse = (problem: string): Effect.Effect<never, UsageError> =>
  Effect.fail(new UsageError({ problem }))

/** Whether the texts differ in at most two adjacent characters, and not in a digit. */
const isNear = (one: string, other: string): boolean => {
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start++
  let end = 0
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++
  const rest = [one, other].map((text) => text.slice(start, text.length - end))
  return shorter > 4 && rest.every((text) => /^\D{0,2}$/.test(text))
}

/** The end of an error on an unknown name; empty if no known name is similar. */
export const didYouMean = (given: string, known: ReadonlyArray<string>): string => {
  const meant = known.find((name) => isNear(given, name))
  return meant === undefined ? "" : `; did you mean ${meant}?`
}

/** Only such an option is repeated in an error. A secret in the wrong place is longer, or has other characters. */
const nameable = /^--[a-z][a-z-]{0,40}$/

const unknownOption = (flag: string, flags: ReadonlyArray<string>): string =>
  nameable.test(flag)
    ? `${flag}: there is no such option${didYouMean(flag, flags)}`
    : `The arguments are not understood. Options are ${flags.join(", ")}; secrets are never arguments.`

interface Token {
  readonly kind: string
  readonly rawName?: string
  readonly value?: string | undefined
}

/** Says where the words stand: as they are, they could be a secret, a number or a part of a text. */
const tooMany = (options: AnyOptions, tokens: ReadonlyArray<Token>): string => {
  const last = tokens.findLastIndex(({ kind }) => kind === "positional")
  const before = tokens.slice(0, Math.max(last, 0)).findLast((token) => token.kind === "option")
  if (before === undefined) {
    const { value } = Object.values(options).find(({ kind }) => kind === "argument") ?? {}
    return `There are too many arguments: give ${value === undefined ? "only options" : `<${value}> alone`}`
  }
  const takes =
    before.value === undefined ? "no value" : "one value: write a text with blanks in quotes"
  return `There are too many arguments after ${before.rawName}, which takes ${takes}`
}

/** The words of the arguments, and the texts of each option. The parser's own errors would repeat the arguments. */
const gather = Effect.fnUntraced(function* (
  options: AnyOptions,
  args: ReadonlyArray<string>
): Effect.fn.Return<Gathered, UsageError> {
  const named = Object.entries(options).filter(([, { kind }]) => kind !== "argument")
  const byFlag = new Map(named.map(([name, { kind }]) => [flagOf(name), { name, kind }]))
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      [...byFlag].map(([flag, { kind, name }]) => [
        flag.slice(2),
        {
          type: kind === "switch" ? "boolean" : "string",
          ...(Object.hasOwn(general, name) ? { short: name.slice(0, 1) } : {})
        } as const
      ])
    ),
    strict: false,
    tokens: true
  })
  const optionTokens = tokens.filter((token) => token.kind === "option")
  const unknown = optionTokens.find(({ name }) => !byFlag.has(`--${name}`))
  if (unknown !== undefined) {
    return yield* refuse(unknownOption(unknown.rawName, [...byFlag.keys()]))
  }
  const texts = new Map<string, ReadonlyArray<string>>()
  for (const { inlineValue, name: long, rawName, value } of optionTokens) {
    const { kind, name } = byFlag.get(`--${long}`) ?? { name: long }
    const before = texts.get(name) ?? []
    if (kind === "switch") texts.set(name, [value ?? "true"])
    // `--host --json` is more likely a forgotten value than a host of this name.
    else if (value === undefined || (!inlineValue && /^-./.test(value))) {
      return yield* refuse(`${rawName}: give a value; write one that begins with - after a =`)
    } else if (kind !== "list" && before.length > 0) {
      return yield* refuse(`${rawName}: give it once`)
    } else texts.set(name, [...before, value])
  }
  const rest = tokens.filter((token) => token.kind === "positional").map(({ value }) => value)
  for (const [name, { kind }] of Object.entries(options)) {
    if (kind === "argument" && rest.length > 0) texts.set(name, rest.splice(0, 1))
  }
  return { rest, restProblem: tooMany(options, tokens), texts }
})

/** Clusters set such variables for a service of this name. */
const ofCluster = /_SERVICE_(?:HOST|PORT)|_PORT_\d+_/

/** `_PORT` is that of a link to the service. */
const isLink = (value: string): boolean => /^(?:tcp|udp|sctp):\/\//.test(value)

/** The variables that a person has set. */
export const withoutLinks = (environment: Environment): Environment =>
  Object.fromEntries(
    Object.entries(environment).filter(
      ([name, value = ""]) => !ofCluster.test(name) && !(name.endsWith("_PORT") && isLink(value))
    )
  )

const misspelled =
  "A guard whose variable is misspelled has no effect, so correct the name or remove the variable."

/** Fails if an option or a variable is unknown or has no value, or if a switch is neither on nor off. */
export const parse = Effect.fnUntraced(function* <V>(
  { options, variables }: Table<V>,
  args: ReadonlyArray<string>,
  given: Environment = {}
): Effect.fn.Return<Given<V>, UsageError> {
  const { rest, restProblem, texts } = yield* gather(options, args)
  const environment = variables === undefined ? {} : withoutLinks(given)
  const { known = [], prefix = "" } = variables ?? {}
  const problems = Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && !known.includes(name))
    .map((name) => `${name}: there is no such variable${didYouMean(name, known)}`)
  if (problems.length > 0) return yield* refuse([...problems, misspelled].join("\n"))

  const textsOf = (name: string): ReadonlyArray<string> => {
    // Hosts that fill in a template leave the variable of an absent setting empty.
    const variable = environment[variableOf(prefix, name)] || undefined
    return texts.get(name) ?? (variable === undefined ? [] : [variable])
  }
  /** Names an option by its argument and, if it has one, its variable. */
  const labelOf = (name: keyof V & string): string => {
    const { kind, value } = options[name]
    if (kind === "argument") return `<${value}>`
    return variables === undefined ? flagOf(name) : `${flagOf(name)} (${variableOf(prefix, name)})`
  }
  const value: Given<V>["value"] = (name) =>
    Effect.catch(Effect.fromResult(options[name].read(textsOf(name))), (problem) =>
      refuse(`${labelOf(name)}: ${problem}`)
    )
  const names = Struct.keys(options)
  for (const name of names) if (options[name].kind === "switch") yield* value(name)
  const values = Effect.gen(function* () {
    if (rest.length > 0) return yield* refuse(restProblem)
    const found: Partial<V> = {}
    for (const name of names) found[name] = yield* value(name)
    const isComplete = (some: Partial<V>): some is V => names.every((name) => name in some)
    return isComplete(found) ? found : yield* Effect.die("a value was not read")
  })
  return { rest, isSet: (name) => textsOf(name).length > 0, value, values }
})
