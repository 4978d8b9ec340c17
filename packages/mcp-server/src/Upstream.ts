/** The service that the tools use: the real one, or the sandbox inside this process. */
import { ConfigurationError, layerConfig, MessagingTopup, Transport } from "@messaging-topup/core"
import { lazyTransport, tokenRedaction } from "@messaging-topup/core/internal"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Notice } from "./send/Approval.ts"
import { ReadFrom, sourceOf } from "./send/ServiceFailure.ts"
import { mapTexts } from "./Visible.ts"
import type { ListenFailed } from "@messaging-topup/sandbox"
import type { ServiceSettings } from "./settings/Settings.ts"

/** The URL of the sandbox's inbox; empty if there is no such page. */
export const InboxUrl = Context.Reference<string>("@messaging-topup/mcp-server/InboxUrl", {
  defaultValue: () => ""
})

type Service = MessagingTopup["Service"]

/** Replaces the access token in every text of every response, in case the service repeats it, however it is escaped. */
const withoutToken = (service: Service, token: string): Service => {
  const { redact } = tokenRedaction(token)
  const redacted = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.map(call, (response) => mapTexts(response, redact))
  return MessagingTopup.of({
    ...service,
    sendSms: (request) => redacted(service.sendSms(request)),
    getSmsStatus: (messageId) => redacted(service.getSmsStatus(messageId)),
    getAirtimeStatus: (reference) => redacted(service.getAirtimeStatus(reference)),
    getDataBundleStatus: (reference) => redacted(service.getDataBundleStatus(reference)),
    listDataBundles: (options) => redacted(service.listDataBundles(options))
  })
}

/** undici takes most of a start, so it is loaded by the first request. */
const transport = Layer.effect(
  Transport,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const load = yield* Effect.promise(() => import("@messaging-topup/core/node")).pipe(
      Effect.flatMap(({ layer: node }) => Layer.buildWithScope(node, scope)),
      Effect.map(Context.get(Transport)),
      Effect.orDie,
      Effect.cached
    )
    return lazyTransport(load)
  })
)

/** Core names the variable that it was given: the text may be of the file that another one names. */
const configured = ({ sources }: ServiceSettings) =>
  Layer.catchTag(layerConfig, "ConfigurationError", ({ problem, setting }) =>
    Layer.effect(
      MessagingTopup,
      Effect.fail(new ConfigurationError({ setting: sourceOf(sources, setting), problem }))
    )
  )

const real = (settings: ServiceSettings) =>
  Layer.effect(
    MessagingTopup,
    Effect.map(MessagingTopup, (service) =>
      withoutToken(service, settings.variables["MESSAGING_TOPUP_TOKEN"] ?? "")
    )
  ).pipe(
    Layer.merge(Layer.succeed(ReadFrom, settings.sources)),
    Layer.provide(configured(settings)),
    Layer.provide(transport),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: settings.variables })))
  )

/** What a server with the sandbox says first. Only the process that has an inbox knows its address. */
export const sandboxNotice = (inboxUrl = ""): string =>
  `[Sandbox: nothing is really sent or bought${inboxUrl === "" ? "" : `; the person sees it at ${inboxUrl} in a browser`}.]`

/** The sandbox is loaded only if it is used. */
const sandboxWith = (inbox: boolean) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@messaging-topup/sandbox")),
      ({ Sandbox }) =>
        Layer.effectContext(
          Effect.gen(function* () {
            const { baseUrl, token } = yield* Sandbox
            const service = yield* Layer.build(MessagingTopup.layer({ baseUrl, token }))
            const inboxUrl = inbox ? baseUrl : ""
            return service.pipe(
              Context.add(InboxUrl, inboxUrl),
              Context.add(Notice, sandboxNotice(inboxUrl))
            )
          })
        ).pipe(
          Layer.provide(inbox ? Layer.merge(Sandbox.layer(), transport) : Sandbox.layerInProcess())
        )
    )
  )

/** Without a service, the sandbox. `inbox`: it serves a page, on a free port of this machine. */
export const layer = (
  service: ServiceSettings | undefined,
  inbox: boolean
): Layer.Layer<MessagingTopup, ConfigurationError | ListenFailed> =>
  service === undefined ? sandboxWith(inbox) : real(service)
