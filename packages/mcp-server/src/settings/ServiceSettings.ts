/**
 * The address and the token of the service, from variables or from the files that variables name, and
 * the time-out of its requests, which core checks.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Environment, UsageError } from "@messaging-topup/sandbox/command-line"
import { fileText } from "../Options.ts"

const fromFiles = ["MESSAGING_TOPUP_BASE_URL", "MESSAGING_TOPUP_TOKEN"]

const timeoutVariable = "MESSAGING_TOPUP_TIMEOUT"

/** What a host sends in place of a variable that it could not fill in, and the value in our examples. */
const placeholder = /^(?:\$\{|\{env:|your-access-token$)/

const refuse = (problem: string) => Effect.fail(new UsageError({ problem }))

/** The service as core is told of it, in variables. */
export interface ServiceSettings {
  readonly variables: Readonly<Record<string, string>>
  /** The address in one form, whatever its spelling or source. */
  readonly address: string
}

export const read = Effect.fnUntraced(function* (
  environment: Environment
): Effect.fn.Return<ServiceSettings, UsageError> {
  const variables: Record<string, string> = {
    [timeoutVariable]: environment[timeoutVariable] || "30 seconds"
  }
  for (const name of fromFiles) {
    const value = environment[name] || undefined
    const path = environment[`${name}_FILE`] || undefined
    if (value !== undefined && path !== undefined) {
      return yield* refuse(`Leave out ${name} or ${name}_FILE: both are set`)
    }
    const source = path === undefined ? name : `${name}_FILE`
    const found = path === undefined ? Result.succeed(value) : fileText(path)
    if (Result.isFailure(found)) return yield* refuse(`${source}: ${found.failure}`)
    const text = found.success?.trim()
    if (text === undefined) continue
    if (placeholder.test(text)) {
      return yield* refuse(
        `${source}: it is a placeholder. Give the value itself, or correct the variable that the host should fill in`
      )
    }
    variables[name] = text
  }
  const { MESSAGING_TOPUP_BASE_URL: address = "" } = variables
  return {
    variables,
    address: (URL.parse(address)?.href ?? address).replace(/\/+$/, "")
  }
})
