/** The service with its settings from the environment. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { makeService } from "./Call.ts"
import { secured } from "./call/BaseUrl.ts"
import { checkOptions, serviceOptions } from "./call/OptionChecks.ts"
import { Transport } from "./call/Transport.ts"
import { ConfigurationError } from "./errors/ClientFailures.ts"
import { MessagingTopup, type MessagingTopupOptions } from "./MessagingTopup.ts"

/** How the variable of each option is read. */
const readers: Readonly<
  Record<keyof MessagingTopupOptions, (variable: string) => Config.Config<unknown>>
> = {
  baseUrl: Config.String,
  token: Config.Redacted,
  timeout: Config.Duration,
  readRetries: Config.Int,
  maxBodyBytes: Config.Int,
  allowInsecureHttp: Config.Boolean
}

/** `readRetries` becomes `READ_RETRIES`. */
const upperCase = (option: string): string => option.replace(/[A-Z]/g, "_$&").toUpperCase()

/** The check of each option refuses it, so that a value has one description of what it must be. */
const unreadable = Number.NaN

/**
 * Builds the service with settings from variables of the environment that begin with a prefix: with `SHOP`,
 * `SHOP_BASE_URL` and `SHOP_TOKEN`, and the others of `layerConfig`.
 *
 * A program with two accounts keeps each service:
 * `const shop = yield* Effect.provide(MessagingTopup, layerConfigFrom("SHOP"))`.
 */
export const layerConfigFrom = (
  prefix: string
): Layer.Layer<MessagingTopup, ConfigurationError, Transport> => {
  const variableOf = (option: string) => `${prefix}_${upperCase(option)}`
  const given = Effect.forEach(Object.entries(readers), ([option, read]) =>
    Config.option(read(variableOf(option))).pipe(
      Effect.map(Option.getOrUndefined),
      Effect.orElseSucceed(() => unreadable),
      Effect.map((value) => [option, value] as const)
    )
  )
  return Layer.effect(
    MessagingTopup,
    Effect.gen(function* () {
      const options = checkOptions(serviceOptions, Object.fromEntries(yield* given))
      const settings = yield* Effect.mapError(
        Effect.fromResult(Result.flatMap(options, secured)),
        // Names the variable in place of the option.
        ({ problem, setting }) => new ConfigurationError({ setting: variableOf(setting), problem })
      )
      return makeService(settings, yield* Transport)
    })
  )
}

/**
 * Builds the service with settings from the environment.
 *
 * Required: `MESSAGING_TOPUP_BASE_URL` and `MESSAGING_TOPUP_TOKEN`. Optional:
 * `MESSAGING_TOPUP_TIMEOUT` (such as `30 seconds`), `MESSAGING_TOPUP_READ_RETRIES`,
 * `MESSAGING_TOPUP_MAX_BODY_BYTES` and `MESSAGING_TOPUP_ALLOW_INSECURE_HTTP`.
 */
export const layerConfig: Layer.Layer<MessagingTopup, ConfigurationError, Transport> =
  layerConfigFrom("MESSAGING_TOPUP")
