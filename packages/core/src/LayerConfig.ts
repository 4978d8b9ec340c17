/** The service with its settings from the environment. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { makeService } from "./Call.ts"
import { type Checked, secured } from "./call/BaseUrl.ts"
import { checkOptions, serviceOptions } from "./call/OptionChecks.ts"
import { Transport } from "./call/Transport.ts"
import { durationIn } from "./DurationText.ts"
import { ConfigurationError } from "./errors/ClientFailures.ts"
import { MessagingTopup } from "./MessagingTopup.ts"

/** `readRetries` becomes `READ_RETRIES`. */
const upperCase = (option: string): string => option.replace(/[A-Z]/g, "_$&").toUpperCase()

/** The words of the source may be private. */
const sourceDown = "cannot be read: the source of the settings failed"

/** The words that Effect's `Config.Boolean` knows, in any case. */
const flags = { true: /^(true|yes|on|1|y)$/i, false: /^(false|no|off|0|n)$/i }

/** The option that a text of a variable means: the first reading that the check of the option accepts. */
const valueOf = (option: string, check: (value: unknown) => Checked<unknown>, text: string) => {
  if (option === "token") return Redacted.make(text)
  const trimmed = text.trim()
  const number = /^-?\d+$/.test(trimmed) ? Number(trimmed) : text
  const duration = Option.getOrElse(durationIn(text), () => text)
  const flag = flags.true.test(trimmed) || (flags.false.test(trimmed) ? false : text)
  // A time needs its unit: many read a number alone as seconds.
  const readings = option === "timeout" ? [duration] : [text, number, flag]
  return readings.find((value) => Result.isSuccess(check(value))) ?? text
}

const textOf = (variable: string) =>
  Effect.mapError(
    Config.option(Config.String(variable)),
    ({ cause }) =>
      new ConfigurationError({
        setting: variable,
        problem: cause._tag === "SchemaError" ? "give a text" : sourceDown
      })
  )

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
  const given = Effect.forEach(Object.entries(serviceOptions), ([option, { check }]) =>
    Effect.map(textOf(variableOf(option)), (text) => [
      option,
      Option.getOrUndefined(Option.map(text, (value) => valueOf(option, check, value)))
    ])
  )
  return Layer.effect(
    MessagingTopup,
    Effect.gen(function* () {
      const options = checkOptions(serviceOptions, Object.fromEntries(yield* given))
      const settings = yield* Effect.mapError(
        Effect.fromResult(Result.flatMap(options, (each) => secured(each, variableOf))),
        // Names the variable in place of the option.
        ({ problem, setting }) => new ConfigurationError({ setting: variableOf(setting), problem })
      )
      return makeService(settings, yield* Transport)
    })
  )
}

/**
 * Builds the service with settings from the environment, on a transport, which provides `Transport`: a layer of
 * `@messaging-topup/core/node`, of `@messaging-topup/core/fetch` or of `@messaging-topup/core/http-client`.
 *
 * Required: `MESSAGING_TOPUP_BASE_URL` and `MESSAGING_TOPUP_TOKEN`. Optional:
 * `MESSAGING_TOPUP_TIMEOUT` (with its unit, such as `30 s` or `30 seconds`), `MESSAGING_TOPUP_READ_RETRIES`,
 * `MESSAGING_TOPUP_MAX_BODY_BYTES` and `MESSAGING_TOPUP_ALLOW_INSECURE_HTTP`.
 *
 * For variables with other names, read them with `Config`, and give them to `MessagingTopup.layer` in `Layer.unwrap`.
 */
export const layerConfig: Layer.Layer<MessagingTopup, ConfigurationError, Transport> =
  layerConfigFrom("MESSAGING_TOPUP")
