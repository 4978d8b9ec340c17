/**
 * Serves what is not part of the service: the page, the OpenAPI document and the control
 * endpoints. These requests are not recorded and get no fault.
 */
import { documentOf } from "@messaging-topup/core/api"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { Engine } from "../Engine.ts"
import { refusal } from "../http/Access.ts"
import { bodyTooLarge, controlError, noSuchControl } from "../http/ErrorResponses.ts"
import type { Incoming } from "../http/Body.ts"
import * as SchemaErrors from "../http/SchemaErrors.ts"
import * as WebHandler from "../http/WebHandler.ts"
import * as Page from "../page/Page.ts"
import { SandboxApi } from "./ControlApi.ts"
import * as Handlers from "./ControlHandlers.ts"

export interface Control {
  /** Whether a request is for one of these. */
  readonly handles: (incoming: Pick<Incoming, "method" | "url">) => boolean
  readonly respond: (incoming: Incoming) => Effect.Effect<Response>
}

const prefix = "/_sandbox"

/** The documents that need no token. */
const open: ReadonlySet<string> = new Set(["/healthz", "/openapi.json"])

const page = "/"

const pathOf = (url: string): string => url.split("?", 1)[0] ?? ""

const handles: Control["handles"] = ({ method, url }) => {
  const path = pathOf(url)
  const isRead = method === "GET" || method === "HEAD"
  const isDocument = isRead && (path === page || open.has(path))
  return isDocument || path === prefix || path.startsWith(`${prefix}/`)
}

const schemaErrors = SchemaErrors.layer((detail) => Effect.succeed(controlError(400, detail)))

/** A browser asks a person for the token: it is the password. */
const askForToken = HttpServerResponse.setHeader("www-authenticate", 'Basic realm="Sandbox"')

/** `token` is `undefined` if only this machine can reach the sandbox. */
export const make = Effect.fnUntraced(function* (
  engine: Engine,
  token: Redacted.Redacted | undefined
) {
  const documents = Layer.mergeAll(
    HttpRouter.add("GET", page, ({ headers, url }) =>
      Page.response(engine, url, headers["host"] ?? "")
    ),
    HttpRouter.add(
      "GET",
      "/openapi.json",
      Effect.sync(() => HttpServerResponse.jsonUnsafe(documentOf(SandboxApi)))
    )
  )
  const handle = yield* WebHandler.make<never>(
    Layer.merge(Handlers.layer(engine), documents).pipe(Layer.provide(schemaErrors)),
    Effect.succeed(noSuchControl)
  )

  const refusalOf = (incoming: Incoming) => {
    const path = pathOf(incoming.url)
    if (open.has(path)) return undefined
    const refused = refusal(token, incoming, path === page)
    if (refused !== undefined) {
      const response = controlError(refused.status, refused.detail)
      return refused.status === 401 && path === page ? askForToken(response) : response
    }
    return incoming.body.isTooLarge ? controlError(413, bodyTooLarge) : undefined
  }

  const control: Control = {
    handles,
    respond: (incoming) =>
      Effect.suspend(() => {
        const refused = refusalOf(incoming)
        return refused === undefined
          ? handle(incoming, Context.empty())
          : Effect.succeed(HttpServerResponse.toWeb(refused))
      })
  }
  return control
})
