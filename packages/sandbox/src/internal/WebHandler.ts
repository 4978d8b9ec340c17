/**
 * The contract as a function from `Request` to `Response`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerError from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { Fault } from "../Fault.ts"
import { errorBody, errorResponse } from "./ErrorResponses.ts"
import { ForcedFault } from "./ForcedFault.ts"
import * as Handlers from "./Handlers.ts"
import { layerMiddleware, SandboxApi } from "./SandboxApi.ts"
import { State } from "./State.ts"

export interface Handled {
  readonly response: Response
  /** What the end of the recipient, message id or reference code asked for. */
  readonly forced: Fault | undefined
}

/** Only exact paths match, so that a client that builds a wrong one shows up. */
const routing = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: Number.MAX_SAFE_INTEGER
}

const unsupportedMediaType = 415

const notJson = errorResponse(400, errorBody(400, "The body is not application/json"))

const routeNotFound = errorResponse(404, errorBody(404, "The sandbox has no such endpoint"))

export const make = Effect.fnUntraced(function* (
  state: State["Service"],
  token: Redacted.Redacted
) {
  const routes = HttpApiBuilder.layer(SandboxApi).pipe(
    Layer.provide(Handlers.layer),
    Layer.provide([Layer.succeed(State, state), layerMiddleware(token), HttpServer.layerServices])
  )
  const app = yield* HttpRouter.toHttpEffect(routes).pipe(
    Effect.provideService(HttpRouter.RouterConfig, routing)
  )
  // The handlers use the clock with which the sandbox was built.
  const context = yield* Effect.context()
  const handler = HttpEffect.toWebHandlerWith<never, ForcedFault | HttpServerRequest | Scope.Scope>(
    context
  )(
    app.pipe(
      Effect.map((response) => (response.status === unsupportedMediaType ? notJson : response)),
      Effect.catchIf(HttpServerError.isHttpServerError, () => Effect.succeed(routeNotFound))
    )
  )

  return (request: (signal: AbortSignal) => Request): Effect.Effect<Handled> =>
    Effect.suspend(() => {
      const forced = ForcedFault.of({ current: undefined })
      return Effect.tryPromise({
        try: (signal) => handler(request(signal), Context.make(ForcedFault, forced)),
        // Methods such as TRACE, and targets such as `*`: HTTP has them, `Request` does not.
        catch: () => HttpServerResponse.toWeb(routeNotFound)
      }).pipe(
        Effect.catch(Effect.succeed),
        Effect.map((response) => ({ response, forced: forced.current }))
      )
    })
})
