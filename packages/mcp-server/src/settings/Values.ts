/**
 * Values of options, from their text.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Name } from "./Options.ts"
import type { Raw } from "./Raw.ts"
import { badOption, type SettingsError } from "./SettingsError.ts"

export const count =
  (raw: Raw) =>
  (
    name: Name,
    fallback: number,
    minimum: number,
    maximum: number
  ): Effect.Effect<number, SettingsError> => {
    const text = raw.text(name) ?? String(fallback)
    const value = /^\d{1,9}$/.test(text) ? Number(text) : -1
    return value >= minimum && value <= maximum
      ? Effect.succeed(value)
      : Effect.fail(badOption(name, `give a whole number from ${minimum} to ${maximum}`))
  }

const isWritten = (text: string): text is Duration.Input & string =>
  /^\d+(\.\d+)? [a-z]+$/.test(text)

/** At most the days that a timer can hold. */
const longest = Duration.days(24)

export const duration =
  (raw: Raw) =>
  (
    name: Name,
    fallback: Duration.Duration,
    minimum: Duration.Duration
  ): Effect.Effect<Duration.Duration, SettingsError> => {
    const text = raw.text(name)
    if (text === undefined) return Effect.succeed(fallback)
    const parsed = isWritten(text) ? Duration.fromInput(text) : Option.none()
    return Option.match(
      Option.filter(
        parsed,
        (value) =>
          Duration.isGreaterThanOrEqualTo(value, minimum) &&
          Duration.isLessThanOrEqualTo(value, longest)
      ),
      {
        onSome: Effect.succeed,
        onNone: () =>
          Effect.fail(
            badOption(
              name,
              `give a duration from ${Duration.format(minimum)} to 24 days, such as "10 minutes"`
            )
          )
      }
    )
  }

/** Parts between commas, without the blanks around them. */
export const list = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")

export const url =
  (raw: Raw) =>
  (name: Name): Effect.Effect<URL | undefined, SettingsError> => {
    const text = raw.text(name)
    if (text === undefined) return Effect.undefined
    const parsed = URL.parse(text)
    return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username === ""
      ? Effect.succeed(parsed)
      : Effect.fail(badOption(name, "give a URL that starts with https:// or http://"))
  }
