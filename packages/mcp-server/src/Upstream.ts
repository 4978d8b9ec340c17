/**
 * The service behind the tools: the real one, or the sandbox inside this process.
 */
import { type ConfigurationError, layerConfig, MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Notice } from "./Notice.ts"
import type { Environment } from "./settings/GivenOptions.ts"
import * as ServiceSettings from "./settings/ServiceSettings.ts"
import type { SettingsError } from "./settings/SettingsError.ts"
import * as TokenRedaction from "./TokenRedaction.ts"

const withoutToken = (env: Readonly<Record<string, string>>) =>
  Layer.effect(
    MessagingTopup,
    // Without a token the layer below fails, and this is never built.
    Effect.map(MessagingTopup, (service) =>
      TokenRedaction.of(service, Redacted.make(env["MESSAGING_TOPUP_TOKEN"] ?? ""))
    )
  )

const real = (environment: Environment) =>
  Layer.unwrap(
    Effect.map(ServiceSettings.resolve(environment), (env) =>
      withoutToken(env).pipe(
        Layer.provide(layerConfig),
        Layer.provide(NodeTransport.layer),
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
