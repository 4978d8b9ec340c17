/**
 * The options of a client from environment variables, and errors that name the variable.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ConfigurationError } from "../errors/ConfigurationError.ts"
import type { MessagingTopupOptions } from "../MessagingTopupOptions.ts"
import { timeoutAdvice } from "./Timeout.ts"

const variables: Readonly<Record<string, string>> = {
  baseUrl: "MESSAGING_TOPUP_BASE_URL",
  token: "MESSAGING_TOPUP_TOKEN",
  timeout: "MESSAGING_TOPUP_TIMEOUT"
}

/** The same problem, said of the variable that the option came from. */
export const asVariable = ({ problem, setting }: ConfigurationError): ConfigurationError =>
  new ConfigurationError({ setting: variables[setting] ?? setting, problem })

const orSay =
  (setting: string, problem: string) =>
  <A>(config: Config.Config<A>): Effect.Effect<A, ConfigurationError> =>
    Effect.mapError(config, () => new ConfigurationError({ setting, problem }))

export const fromEnvironment: Effect.Effect<MessagingTopupOptions, ConfigurationError> = Effect.gen(
  function* () {
    const baseUrl = yield* Config.String("MESSAGING_TOPUP_BASE_URL").pipe(
      orSay("baseUrl", "set it to the address of the service, such as https://api.example.com")
    )
    const token = yield* Config.Redacted("MESSAGING_TOPUP_TOKEN").pipe(
      orSay("token", "set it to the access token")
    )
    const timeout = yield* Config.option(Config.Duration("MESSAGING_TOPUP_TIMEOUT")).pipe(
      orSay("timeout", timeoutAdvice)
    )
    return { baseUrl, token, ...(Option.isSome(timeout) ? { timeout: timeout.value } : {}) }
  }
)
