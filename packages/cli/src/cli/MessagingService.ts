/** The messaging service that rows are sent to: the real service, or a sandbox in this process. */
import { type ConfigurationError, layerConfig, MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import type { ListenFailed } from "@messaging-topup/sandbox"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import { Invocation } from "./Invocation.ts"
import { note, report } from "./Output.ts"
import { Trial } from "./Signals.ts"

const real = Layer.unwrap(
  Effect.map(Invocation, ({ environment }) =>
    Layer.provide(
      layerConfig,
      ConfigProvider.layer(
        ConfigProvider.fromEnv({ env: Record.filter(environment, Predicate.isNotUndefined) })
      )
    )
  )
)

const sandboxed = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("@messaging-topup/sandbox")),
    ({ Sandbox }) =>
      Layer.unwrap(
        Effect.gen(function* () {
          const { baseUrl, token } = yield* Sandbox
          const trial = yield* Trial
          trial.inbox = baseUrl
          yield* report({ event: "Sandbox", base_url: baseUrl })
          yield* note(
            `Sandbox: nothing is really sent. Its inbox, until this command ends: ${baseUrl}`
          )
          return MessagingTopup.layer({ baseUrl, token })
        })
      ).pipe(Layer.provide(Sandbox.layer()))
  )
)

interface ServiceOptions {
  readonly sandbox: boolean
  /** Maximum connections. */
  readonly connections: number
}

export const layer = ({
  connections,
  sandbox
}: ServiceOptions): Layer.Layer<MessagingTopup, ConfigurationError | ListenFailed, Invocation> =>
  Layer.provide(sandbox ? sandboxed : real, NodeTransport.layerOptions({ connections }))
