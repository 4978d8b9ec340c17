/** The messaging service that rows are sent to: the real service, or a sandbox in this process. */
import { Invocation, note, refuse } from "@messaging-topup/command"
import { ConfigurationError, layerConfig, MessagingTopup } from "@messaging-topup/core"
import { whereTokenIs } from "@messaging-topup/core/internal/errors"
import * as NodeTransport from "@messaging-topup/core/node"
import { readVariable, sourceOf } from "@messaging-topup/journal/internal"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import { tell } from "../Events.ts"

const tokenVariable = "MESSAGING_TOPUP_TOKEN"

/** What may be in a file, which another variable names. */
const inFiles = ["MESSAGING_TOPUP_BASE_URL", tokenVariable]

/** Names in a text of core the variables that were read. */
export const asRead = (text: string) =>
  Effect.map(Invocation, ({ environment }) =>
    inFiles.reduce(
      (named, name) => named.replace(name, sourceOf(environment, name)),
      text.replace(whereTokenIs, tokenVariable)
    )
  )

const configured = Layer.catchTag(layerConfig, "ConfigurationError", ({ problem, setting }) =>
  Layer.effect(
    MessagingTopup,
    Effect.flatMap(asRead(setting), (read) =>
      Effect.fail(new ConfigurationError({ setting: read, problem }))
    )
  )
)

/** The service of the variables, of which two may name a file, as for the MCP server. */
export const real = (connections: number) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { environment } = yield* Invocation
      const env: Record<string, string> = Record.filter(environment, Predicate.isNotUndefined)
      for (const name of inFiles) {
        const read = yield* Effect.catch(Effect.fromResult(readVariable(environment, name)), refuse)
        if (read !== undefined) env[name] = read.text
      }
      return Layer.provide(configured, ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
    })
  ).pipe(Layer.provide(NodeTransport.layerOptions({ connections })))

/** Uses the service of the variables if they have one: who looks needs no account. */
export const ifSet = <E, R>(use: Effect.Effect<void, E, MessagingTopup | R>) =>
  Effect.flatMap(Effect.option(Layer.build(real(1))), (service) =>
    Option.isSome(service) ? Effect.provideContext(use, service.value) : Effect.void
  )

/** Starts a sandbox until the scope closes. Returns its address, at which its inbox is, and its service. */
export const sandbox = Effect.fnUntraced(function* (connections: number) {
  const { Sandbox } = yield* Effect.promise(() => import("@messaging-topup/sandbox"))
  const started = yield* Layer.build(Sandbox.layer())
  const { baseUrl, token } = yield* Effect.provideContext(Sandbox, started)
  yield* tell({ event: "Sandbox", base_url: baseUrl })
  yield* note(`Sandbox: nothing is really sent. Its inbox, until this command ends: ${baseUrl}`)
  const service = MessagingTopup.layer({ baseUrl, token }).pipe(
    Layer.provide(NodeTransport.layerOptions({ connections }))
  )
  return { inbox: baseUrl, service }
})
