/**
 * The address and the token of the service, from variables or from the files that variables name.
 */
import * as Effect from "effect/Effect"
import * as OptionValues from "./OptionValues.ts"
import type { Environment } from "./GivenOptions.ts"
import { SettingsError } from "./SettingsError.ts"

const fromFiles = ["MESSAGING_TOPUP_BASE_URL", "MESSAGING_TOPUP_TOKEN"]

const passed = ["MESSAGING_TOPUP_TIMEOUT"]

/** Returns the variables that core reads, with the contents of files filled in. */
export const resolve = Effect.fnUntraced(function* (environment: Environment) {
  const resolved: Record<string, string> = {}
  for (const name of [...fromFiles, ...passed]) {
    const value = environment[name]
    if (value !== undefined && value !== "") resolved[name] = value
  }
  for (const name of fromFiles) {
    const path = environment[`${name}_FILE`]
    if (path === undefined || path === "") continue
    if (resolved[name] !== undefined) {
      return yield* new SettingsError({
        problem: `Leave out ${name} or ${name}_FILE: both are set`
      })
    }
    resolved[name] = (yield* OptionValues.fileText(`${name}_FILE`, path)).trim()
  }
  return resolved
})

/** Returns the address of the service in one form, whatever its spelling or source. */
export const address = (environment: Environment): Effect.Effect<string, SettingsError> =>
  Effect.map(resolve(environment), ({ MESSAGING_TOPUP_BASE_URL: text = "" }) =>
    (URL.parse(text)?.href ?? text).replace(/\/+$/, "")
  )
