/**
 * Parses the values of options. Defaults and bounds are in `Options.ts`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readFileSync } from "node:fs"
import type { GivenOptions } from "./GivenOptions.ts"
import { durationText, type NameOf, type Options, options } from "./Options.ts"
import { badOption, SettingsError } from "./SettingsError.ts"

export const count = (
  given: GivenOptions,
  name: NameOf<"count">
): Effect.Effect<number, SettingsError> => {
  const { default: defaultCount, maximum, minimum } = options[name]
  const text = given.text(name) ?? String(defaultCount)
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1
  return value >= minimum && value <= maximum
    ? Effect.succeed(value)
    : Effect.fail(badOption(name, `give a whole number from ${minimum} to ${maximum}`))
}

const isDurationText = (text: string): text is Duration.Input & string =>
  /^\d+(\.\d+)? +[a-z]+$/.test(text)

export const durationOf = (text: string): Option.Option<Duration.Duration> =>
  isDurationText(text) ? Duration.fromInput(text) : Option.none()

export const duration = (
  given: GivenOptions,
  name: NameOf<"duration">
): Effect.Effect<Duration.Duration, SettingsError> => {
  const { default: defaultDuration, maximum, minimum } = options[name]
  const text = given.text(name)
  if (text === undefined) return Effect.succeed(defaultDuration)
  return Option.match(
    Option.filter(
      durationOf(text),
      (value) =>
        Duration.isGreaterThanOrEqualTo(value, minimum) &&
        Duration.isLessThanOrEqualTo(value, maximum)
    ),
    {
      onSome: Effect.succeed,
      onNone: () =>
        Effect.fail(
          badOption(
            name,
            `give a duration from ${durationText(minimum)} to ${durationText(maximum)}, such as "10 minutes"`
          )
        )
    }
  )
}

type ChoiceOf<N extends NameOf<"choice">> = Options[N]["default"]

export const choice = <N extends NameOf<"choice">>(
  given: GivenOptions,
  name: N
): Effect.Effect<ChoiceOf<N>, SettingsError> => {
  const { choices, default: defaultChoice } = options[name]
  const text = given.text(name)
  const chosen = text === undefined ? defaultChoice : choices.find((known) => known === text)
  return chosen === undefined
    ? Effect.fail(badOption(name, `give ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`))
    : Effect.succeed(chosen)
}

/** Splits at commas, and drops blanks around the entries and empty entries. */
export const list = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")

export const url = (
  given: GivenOptions,
  name: "public-url"
): Effect.Effect<URL | undefined, SettingsError> => {
  const text = given.text(name)
  if (text === undefined) return Effect.undefined
  const parsed = URL.parse(text)
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username === ""
    ? Effect.succeed(parsed)
    : Effect.fail(badOption(name, "give a URL that starts with https:// or http://"))
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "error"

/** `setting` is the option or variable that names the file. The path is no secret, so errors show it. */
export const fileBytes = (
  setting: string,
  path: string
): Effect.Effect<Uint8Array, SettingsError> =>
  Effect.try({
    try: () => readFileSync(path),
    catch: (error) =>
      new SettingsError({ problem: `${setting}: ${path} cannot be read (${codeOf(error)})` })
  })

export const fileText = (setting: string, path: string): Effect.Effect<string, SettingsError> =>
  Effect.map(fileBytes(setting, path), (bytes) => new TextDecoder().decode(bytes))
