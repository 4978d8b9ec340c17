/**
 * The options as the operator gave them, as text. An argument takes precedence over a variable.
 */
import * as Effect from "effect/Effect"
import { parseArgs, type ParseArgsOptionsConfig } from "node:util"
import { nearest } from "../Nearest.ts"
import {
  type Name,
  type NameOf,
  names,
  options,
  unknownVariables,
  variableOf,
  variables
} from "./Options.ts"
import { badOption, SettingsError } from "./SettingsError.ts"

export type Environment = Readonly<Record<string, string | undefined>>

type SwitchName = NameOf<"switch">

export interface GivenOptions {
  /** A command and its argument, such as the id for `resolve`. */
  readonly positionals: ReadonlyArray<string>
  readonly text: (name: Exclude<Name, SwitchName>) => string | undefined
  readonly isOn: (name: SwitchName) => boolean
  /** Whether the option was given, as an argument or as a variable. */
  readonly isSet: (name: Name) => boolean
}

const isSwitch = (name: Name): name is SwitchName => options[name].kind === "switch"

const definitions: ParseArgsOptionsConfig = Object.fromEntries(
  names.map((name) => [name, { type: isSwitch(name) ? "boolean" : "string" } as const])
)

const flags = names.map((name) => `--${name}`)

/** Only such a flag is repeated in an error. A secret in the wrong place is longer, or has other characters. */
const flag = /^--[a-z][a-z-]{0,40}$/

/** Returns an empty string if no known name is similar. */
const didYouMean = (given: string, known: ReadonlyArray<string>): string => {
  const meant = nearest(given, known)
  return meant === undefined ? "" : `; did you mean ${meant}?`
}

/** Replaces the parser's error text, which repeats the arguments: they could hold a secret. */
const problemOf = (args: ReadonlyArray<string>): string => {
  const { tokens } = parseArgs({
    args: [...args],
    options: definitions,
    strict: false,
    tokens: true
  })
  const unknown = tokens.find(
    (token) => token.kind === "option" && flag.test(token.rawName) && !flags.includes(token.rawName)
  )
  if (unknown?.kind === "option") {
    const { rawName } = unknown
    return `${rawName}: there is no such option${didYouMean(rawName, flags)}`
  }
  return `The arguments are not understood. Options are ${flags.join(", ")}; secrets are never arguments.`
}

const parseArguments = (args: ReadonlyArray<string>) =>
  Effect.try({
    try: () => {
      const { positionals, values } = parseArgs({
        args: [...args],
        options: definitions,
        allowNegative: false,
        allowPositionals: true
      })
      return { positionals, values }
    },
    catch: () => new SettingsError({ problem: problemOf(args) })
  })

const switchValues = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false]
])

export const parse = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  environment: Environment
): Effect.fn.Return<GivenOptions, SettingsError> {
  const { positionals, values: given } = yield* parseArguments(args)
  const unknown = unknownVariables(environment)
  if (unknown.length > 0) {
    return yield* new SettingsError({
      problem: [
        ...unknown.map(
          (name) => `${name}: there is no such variable${didYouMean(name, variables)}`
        ),
        "A guard whose variable is misspelled has no effect, so correct the name or remove the variable."
      ].join("\n")
    })
  }
  // Hosts that fill in a template leave the variable of an absent setting empty.
  const variable = (name: Name) => environment[variableOf(name)] || undefined
  const switches = new Map<SwitchName, boolean>()
  for (const name of names.filter(isSwitch)) {
    const fromVariable = switchValues.get((variable(name) ?? "false").toLowerCase())
    if (fromVariable === undefined) return yield* badOption(name, "give true or false")
    switches.set(name, given[name] === true || fromVariable)
  }
  return {
    positionals,
    text: (name) => {
      const argument = given[name]
      return typeof argument === "string" ? argument : variable(name)
    },
    isOn: (name) => switches.get(name) === true,
    isSet: (name) => given[name] !== undefined || variable(name) !== undefined
  }
})
