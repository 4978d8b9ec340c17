/**
 * Serves what is not part of the service: the inbox, the OpenAPI document and the control
 * endpoints. These requests are not logged and get no fault.
 */
import { documentOf } from "@messaging-topup/core/openapi"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { controlError, noSuchControl } from "../http/ErrorResponses.ts"
import * as InboxPage from "./InboxPage.ts"
import type { Incoming } from "../http/Incoming.ts"
import * as SchemaErrors from "../http/SchemaErrors.ts"
import * as WebHandler from "../http/WebHandler.ts"
import { refusal } from "./Access.ts"
import { SandboxApi } from "./ControlApi.ts"
import * as ControlHandlers from "./ControlHandlers.ts"

export interface Control {
  /** Whether a request is for one of these. */
  readonly handles: (incoming: Pick<Incoming, "method" | "url">) => boolean
  readonly respond: (incoming: Incoming) => Effect.Effect<Response>
}

const prefix = "/_sandbox"

/** The paths that need no token. */
const open: ReadonlySet<string> = new Set(["/", "/healthz", "/openapi.json"])

const pathOf = (url: string): string => url.split("?", 1)[0] ?? ""

const isControl = (path: string): boolean => path === prefix || path.startsWith(`${prefix}/`)

const handles: Control["handles"] = ({ method, url }) => {
  const path = pathOf(url)
  return isControl(path) || ((method === "GET" || method === "HEAD") && open.has(path))
}

const schemaErrors = SchemaErrors.layer((detail) => controlError(400, detail))

const tooLarge = controlError(413, "The body is larger than 1 MiB")

const pages = Layer.mergeAll(
  HttpRouter.add("GET", "/", InboxPage.response),
  HttpRouter.add(
    "GET",
    "/openapi.json",
    Effect.sync(() => HttpServerResponse.jsonUnsafe(documentOf(SandboxApi)))
  )
)

/** `token` is `undefined` if only this machine can reach the sandbox. */
export const make = Effect.fnUntraced(function* (
  controls: ControlHandlers.Controls,
  token: Redacted.Redacted | undefined
) {
  const handle = yield* WebHandler.make<never>(
    Layer.merge(ControlHandlers.layer(controls), pages).pipe(Layer.provide(schemaErrors)),
    noSuchControl
  )

  const refuse = (incoming: Incoming) => {
    const refused = isControl(pathOf(incoming.url)) ? refusal(token, incoming) : undefined
    if (refused !== undefined) return controlError(refused.status, refused.detail)
    return incoming.body.isTooLarge ? tooLarge : undefined
  }

  const control: Control = {
    handles,
    respond: (incoming) =>
      Effect.suspend(() => {
        const refused = refuse(incoming)
        return refused === undefined
          ? handle(incoming, Context.empty())
          : Effect.succeed(HttpServerResponse.toWeb(refused))
      })
  }
  return control
})
