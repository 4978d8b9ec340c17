/**
 * The service that the tools use: the real one, or the sandbox inside this process.
 */
import { type ConfigurationError, layerConfig, MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Notice } from "./send/Notice.ts"
import { mapTexts } from "./send/Text.ts"
import type { Identity, Policy } from "./send/Rules.ts"
import type { Environment, Port, UsageError } from "@messaging-topup/sandbox/command-line"
import * as ServiceSettings from "./settings/ServiceSettings.ts"

type Service = MessagingTopup["Service"]

export class Upstream extends Context.Service<
  Upstream,
  {
    /** Returns the service with the access token that is used for this caller. */
    readonly serviceOf: (identity: Identity) => Service
  }
>()("@messaging-topup/mcp-server/Upstream") {}

/** The URL of the sandbox's inbox; empty if there is no such page. */
export const InboxUrl = Context.Reference<string>("@messaging-topup/mcp-server/InboxUrl", {
  defaultValue: () => ""
})

interface UpstreamOptions extends Pick<Policy, "tokenOf" | "tokens"> {
  readonly sandbox: boolean
  /** Whether the sandbox serves its inbox, on a free port of this machine. */
  readonly inbox: boolean
  readonly environment: Environment
}

const tokenVariable = "MESSAGING_TOPUP_TOKEN"

/** Replaces the access token in every text of every response, in case the service repeats it. */
const withoutToken = (service: Service, token: string): Service => {
  const redacted = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.map(call, (response) =>
      mapTexts(response, (text) => text.replaceAll(token, "<redacted>"))
    )
  return MessagingTopup.of({
    sendSms: (request) => redacted(service.sendSms(request)),
    getSmsStatus: (messageId) => redacted(service.getSmsStatus(messageId)),
    getAirtimeStatus: (reference) => redacted(service.getAirtimeStatus(reference)),
    getDataBundleStatus: (reference) => redacted(service.getDataBundleStatus(reference)),
    listDataBundles: (options) => redacted(service.listDataBundles(options))
  })
}

const real = ({ environment, tokenOf, tokens }: UpstreamOptions) => {
  const make = Effect.gen(function* () {
    const env = yield* ServiceSettings.resolve(environment)
    const serviceWith = Effect.fnUntraced(function* (token: string) {
      const context = yield* Layer.build(
        Layer.provide(
          // Each token needs a service of its own.
          Layer.fresh(layerConfig),
          ConfigProvider.layer(ConfigProvider.fromEnv({ env: { ...env, [tokenVariable]: token } }))
        )
      )
      return withoutToken(Context.get(context, MessagingTopup), token)
    })
    const own = yield* serviceWith(env[tokenVariable] ?? "")
    const byToken = new Map<string, Service>()
    for (const token of tokens.map(Redacted.value)) byToken.set(token, yield* serviceWith(token))
    return Upstream.of({
      serviceOf: (identity) => {
        const token = tokenOf(identity)
        return (token === undefined ? undefined : byToken.get(Redacted.value(token))) ?? own
      }
    })
  })
  return Layer.provide(Layer.effect(Upstream, make), NodeTransport.layer)
}

const sandboxNotice = "[Sandbox: nothing is really sent or bought.]"

/** The sandbox is loaded only with `--sandbox`. */
const sandboxWith = (inbox: boolean) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@messaging-topup/sandbox")),
      ({ Sandbox }) =>
        Layer.effectContext(
          Effect.gen(function* () {
            const { baseUrl, token } = yield* Sandbox
            const context = yield* Layer.build(MessagingTopup.layer({ baseUrl, token }))
            const only = Context.get(context, MessagingTopup)
            return Context.make(Upstream, { serviceOf: () => only }).pipe(
              Context.add(InboxUrl, inbox ? baseUrl : ""),
              Context.add(Notice, sandboxNotice)
            )
          })
        ).pipe(
          Layer.provide(
            inbox ? Layer.merge(Sandbox.layer(), NodeTransport.layer) : Sandbox.layerInProcess()
          )
        )
    )
  )

export const layer = (
  options: UpstreamOptions
): Layer.Layer<Upstream, ConfigurationError | Port.ListenFailed | UsageError> =>
  options.sandbox ? sandboxWith(options.inbox) : real(options)
