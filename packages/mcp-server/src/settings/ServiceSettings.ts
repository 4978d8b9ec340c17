/**
 * The address and the token of the service, from variables or from the files that variables name, and
 * the time-out of its requests.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as OptionValues from "./OptionValues.ts"
import { type Environment, parseDuration, UsageError } from "@messaging-topup/sandbox/command-line"

const fromFiles = ["MESSAGING_TOPUP_BASE_URL", "MESSAGING_TOPUP_TOKEN"]

const timeoutVariable = "MESSAGING_TOPUP_TIMEOUT"

const defaultTimeout = "30 seconds"

/** Returns the variables that core reads, with the contents of files filled in. */
export const resolve = Effect.fnUntraced(function* (environment: Environment) {
  const resolved: Record<string, string> = {
    [timeoutVariable]: environment[timeoutVariable] || defaultTimeout
  }
  for (const name of fromFiles) {
    const value = environment[name] || undefined
    const path = environment[`${name}_FILE`] || undefined
    if (value !== undefined && path !== undefined) {
      return yield* new UsageError({ problem: `Leave out ${name} or ${name}_FILE: both are set` })
    }
    if (value !== undefined) resolved[name] = value
    if (path !== undefined) {
      resolved[name] = (yield* OptionValues.fileText(`${name}_FILE`, path)).trim()
    }
  }
  return resolved
})

/** Returns the time-out of one attempt. An invalid one is reported by core, and the server does not start. */
export const timeout = (environment: Environment): Duration.Duration =>
  parseDuration(environment[timeoutVariable] || defaultTimeout) ??
  Duration.fromInputUnsafe(defaultTimeout)

/** Returns the address of the service in one form, whatever its spelling or source. */
export const address = (environment: Environment): Effect.Effect<string, UsageError> =>
  Effect.map(resolve(environment), ({ MESSAGING_TOPUP_BASE_URL: text = "" }) =>
    (URL.parse(text)?.href ?? text).replace(/\/+$/, "")
  )
