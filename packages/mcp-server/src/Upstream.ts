/**
 * The service behind the tools: the real one, or the sandbox inside this process.
 */
import { type ConfigurationError, MessagingTopup } from "@messaging-topup/core"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as LazyTransport from "./LazyTransport.ts"
import { Notice } from "./Notice.ts"
import type { Environment } from "./settings/Raw.ts"
import * as ServiceEnvironment from "./settings/ServiceEnvironment.ts"
import type { SettingsError } from "./settings/SettingsError.ts"
import * as WithoutToken from "./WithoutToken.ts"

const withoutToken = (env: Readonly<Record<string, string>>) =>
  Layer.effect(
    MessagingTopup,
    // Without a token the layer below fails, and nothing comes here.
    Effect.map(MessagingTopup, (service) =>
      WithoutToken.of(service, Redacted.make(env["MESSAGING_TOPUP_TOKEN"] ?? ""))
    )
  )

const real = (environment: Environment) =>
  Layer.unwrap(
    Effect.map(ServiceEnvironment.resolve(environment), (env) =>
      withoutToken(env).pipe(
        Layer.provide(MessagingTopup.layerConfig),
        Layer.provide(LazyTransport.layer),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
      )
    )
  )

const sandboxNotice = "[Sandbox: nothing is really sent or bought.]"

/** Loaded only where it is asked for. */
const sandbox = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("@messaging-topup/sandbox")),
    ({ Sandbox }) => {
      const inside = Sandbox.layerInProcess()
      const service = Layer.unwrap(
        Effect.map(Sandbox, ({ baseUrl, token }) => MessagingTopup.layer({ baseUrl, token }))
      )
      return Layer.merge(Layer.provide(service, inside), Layer.succeed(Notice, sandboxNotice))
    }
  )
)

export const layer = (options: {
  readonly sandbox: boolean
  readonly environment: Environment
}): Layer.Layer<MessagingTopup, ConfigurationError | SettingsError> =>
  options.sandbox ? sandbox : real(options.environment)
