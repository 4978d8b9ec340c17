/** How a sandbox handles a request, whichever way it came. Read from the top. */
import { BearerAuth, documentOf } from "@messaging-topup/core/api"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Engine } from "../Engine.ts"
import { applyFault } from "../faults/Faults.ts"
import { refusal } from "../http/Access.ts"
import { ConnectionReset, type Incoming } from "../http/Body.ts"
import { bodyTooLarge, noSuchControl, refuse } from "../http/ErrorResponses.ts"
import { Handling } from "../http/Handling.ts"
import * as SchemaErrors from "../http/SchemaErrors.ts"
import * as WebHandler from "../http/WebHandler.ts"
import * as Page from "../page/Page.ts"
import { SandboxApi, ServiceApi } from "../SandboxApi.ts"
import * as ControlHandlers from "../service/ControlHandlers.ts"
import * as Handlers from "../service/Handlers.ts"

export type App = Effect.Success<ReturnType<typeof make>>

/** `isLocal` says whether only this machine can reach the sandbox: then the page and the control endpoints need no token. */
export const make = Effect.fnUntraced(function* (engine: Engine, isLocal: boolean) {
  const { faults, forPrograms, requests } = engine
  // Two routers, because access is decided by the path as it was sent. One for both would read `/x/../_sandbox/messages`,
  // `/%5Fsandbox/messages` and `http://localhost/_sandbox/messages` as a control endpoint, past that check.
  const handleService = yield* WebHandler.make(serviceRoutes(engine), noSuchEndpoint)
  const handleControl = yield* WebHandler.make(controlRoutes(engine), noSuchControl)

  const respondAsService = (incoming: Incoming): Effect.Effect<Response, ConnectionReset> =>
    // A preflight comes from the browser. The fault is meant for the request after it.
    (isPreflight(incoming) ? Effect.sync(preflight) : respondWithFault(incoming)).pipe(
      Effect.map(allowReading),
      Effect.tap(({ status }) => Effect.map(Handling, ({ keep }) => keep({ status }))),
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError("The sandbox failed because of a defect", defect),
          Effect.fail(new ConnectionReset())
        )
      )
    )

  const respondWithFault = Effect.fnUntraced(function* (incoming: Incoming) {
    const handling = yield* Handling
    const accept = incoming.body.isTooLarge ? tooLarge : handleService(incoming)
    const fault = mayHaveFault(incoming) ? faults.take() : undefined
    if (fault !== undefined) {
      handling.keep({ fault: fault.fault })
      return yield* applyFault(fault, accept)
    }
    const response = yield* accept
    return handling.forcedFault === undefined
      ? response
      : yield* applyFault(handling.forcedFault, Effect.succeed(response))
  })

  const respondAsControl = (incoming: Incoming): Effect.Effect<Response> => {
    const path = pathOf(incoming)
    if (open.has(path)) return handleControl(incoming)
    const why = refusal(isLocal ? undefined : forPrograms.token, incoming, path === page)
    if (why !== undefined) {
      const refused = refuse(why.status, why.detail)
      const asks = why.status === 401 && path === page
      return Effect.map(asks ? Effect.map(refused, askForToken) : refused, HttpServerResponse.toWeb)
    }
    return incoming.body.isTooLarge ? tooLarge : handleControl(incoming)
  }

  /**
   * Handles a request: `body` fills its body, and `write` writes the response to its end. It never ends if a fault sends
   * nothing: interrupt it when the client disconnects.
   */
  return <A, E>(
    incoming: Incoming,
    body: Effect.Effect<void>,
    write: (response: Response) => Effect.Effect<A, E>
  ): Effect.Effect<A, ConnectionReset | E> => {
    const handled = (respond: (request: Incoming) => Effect.Effect<Response, ConnectionReset>) =>
      body.pipe(Effect.andThen(Effect.suspend(() => respond(incoming))), Effect.flatMap(write))
    if (isControl(incoming)) return handled(respondAsControl)
    return Effect.suspend(() => {
      const kept = requests.begin(incoming)
      const respond = (request: Incoming) => {
        // The body has arrived.
        kept.keep({})
        return respondAsService(request)
      }
      return handled(respond).pipe(
        Effect.provideService(Handling, kept),
        Effect.onExit((exit) => Effect.sync(() => kept.ended(Exit.hasInterrupts(exit))))
      )
    })
  }
})

const noSuchEndpoint = refuse(404, "The sandbox has no such endpoint")

const tooLarge = Effect.map(refuse(413, bodyTooLarge), HttpServerResponse.toWeb)

const serviceRoutes = ({ forPrograms, messages }: Engine) =>
  HttpApiBuilder.layer(ServiceApi).pipe(
    Layer.provide(Handlers.layer(messages)),
    Layer.provide([SchemaErrors.layer, bearerAuth(forPrograms.token)])
  )

const bearerAuth = (token: Redacted.Redacted) =>
  Layer.succeed(BearerAuth, {
    bearer: (response, { credential }) =>
      Redacted.value(credential) === Redacted.value(token)
        ? response
        : refuse(401, "The bearer token is missing or wrong")
  })

const page = "/"

/** The documents that need no token. */
const open: ReadonlySet<string> = new Set(["/healthz", "/openapi.json"])

const controlRoutes = (engine: Engine) =>
  Layer.mergeAll(
    ControlHandlers.layer(engine),
    HttpRouter.add("GET", page, ({ headers, url }) =>
      Page.response(engine, url, headers["host"] ?? "")
    ),
    HttpRouter.add(
      "GET",
      "/openapi.json",
      Effect.sync(() => HttpServerResponse.jsonUnsafe(documentOf(SandboxApi)))
    )
  ).pipe(Layer.provide(SchemaErrors.layer))

const pathOf = ({ url }: Incoming): string => url.split("?", 1)[0] ?? ""

/** Whether a request is for the page, a document or a control endpoint: it is not kept, and gets no fault. */
const isControl = (incoming: Incoming): boolean => {
  const path = pathOf(incoming)
  const isRead = incoming.method === "GET" || incoming.method === "HEAD"
  return (isRead && (path === page || open.has(path))) || /^\/_sandbox(\/|$)/.test(path)
}

/** A browser asks a person for the token: it is the password. */
const askForToken = HttpServerResponse.setHeader("www-authenticate", 'Basic realm="Sandbox"')

const servicePaths = Object.values(ServiceApi.groups.messagingTopup.endpoints).map(
  ({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]*")}$`)
)

/** Automatic requests of a browser or a probe must not use up a fault. */
const mayHaveFault = (incoming: Incoming): boolean =>
  incoming.method !== "OPTIONS" && servicePaths.some((each) => each.test(pathOf(incoming)))

/** A page of any origin may call the service and read its responses. */
const isPreflight = ({ headers, method }: Incoming): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined

const preflight = (): Response =>
  new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, POST",
      // A wildcard would not cover Authorization.
      "access-control-allow-headers": "Authorization, Content-Type"
    }
  })

/** Changes the given response. */
const allowReading = (response: Response): Response => {
  response.headers.set("access-control-allow-origin", "*")
  response.headers.set("access-control-expose-headers", "Retry-After")
  return response
}
