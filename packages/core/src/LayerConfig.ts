/** The service with its settings from the environment. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Transport } from "./call/Transport.ts"
import { ConfigurationError, notSet } from "./errors/ConfigurationError.ts"
import { MessagingTopup, type MessagingTopupOptions } from "./MessagingTopup.ts"

const variables: Readonly<Record<keyof MessagingTopupOptions, string>> = {
  baseUrl: "MESSAGING_TOPUP_BASE_URL",
  token: "MESSAGING_TOPUP_TOKEN",
  timeout: "MESSAGING_TOPUP_TIMEOUT",
  readRetries: "MESSAGING_TOPUP_READ_RETRIES",
  maxBodyBytes: "MESSAGING_TOPUP_MAX_BODY_BYTES",
  allowInsecureHttp: "MESSAGING_TOPUP_ALLOW_INSECURE_HTTP"
}

const isOption = (name: string): name is keyof MessagingTopupOptions =>
  Object.hasOwn(variables, name)

/** Names the environment variable in place of the option. */
const asVariable = ({ problem, setting }: ConfigurationError): ConfigurationError =>
  new ConfigurationError({ setting: isOption(setting) ? variables[setting] : setting, problem })

const orFail =
  (setting: keyof MessagingTopupOptions, problem: string) =>
  <A>(config: Config.Config<A>): Effect.Effect<A, ConfigurationError> =>
    Effect.mapError(config, () => new ConfigurationError({ setting, problem }))

/** Returns `{}` if the variable is not set. */
const optional = <A>(
  name: keyof MessagingTopupOptions,
  config: (variable: string) => Config.Config<A>,
  problem: string
) =>
  Effect.map(
    orFail(name, problem)(Config.option(config(variables[name]))),
    Option.match({
      onNone: () => ({}),
      onSome: (value) => ({ [name]: value })
    })
  )

const options: Effect.Effect<MessagingTopupOptions, ConfigurationError> = Effect.gen(function* () {
  const baseUrl = yield* Config.String(variables.baseUrl).pipe(
    orFail("baseUrl", `${notSet}: give the address of the service, such as https://api.example.com`)
  )
  const token = yield* Config.Redacted(variables.token).pipe(
    orFail("token", `${notSet}: give the access token`)
  )
  return {
    baseUrl,
    token,
    ...(yield* optional("timeout", Config.Duration, "give a duration, such as 30 seconds")),
    ...(yield* optional("readRetries", Config.Int, "give a whole number of at least 0")),
    ...(yield* optional("maxBodyBytes", Config.Int, "give a whole number of at least 1")),
    ...(yield* optional("allowInsecureHttp", Config.Boolean, "give true or false"))
  }
})

/**
 * Builds the service with settings from the environment.
 *
 * Required: `MESSAGING_TOPUP_BASE_URL` and `MESSAGING_TOPUP_TOKEN`. Optional:
 * `MESSAGING_TOPUP_TIMEOUT` (such as `30 seconds`), `MESSAGING_TOPUP_READ_RETRIES`,
 * `MESSAGING_TOPUP_MAX_BODY_BYTES` and `MESSAGING_TOPUP_ALLOW_INSECURE_HTTP`.
 */
export const layerConfig: Layer.Layer<MessagingTopup, ConfigurationError, Transport> = Layer.unwrap(
  Effect.map(options, MessagingTopup.layer)
).pipe(Layer.catch((error) => Layer.effect(MessagingTopup, Effect.fail(asVariable(error)))))
