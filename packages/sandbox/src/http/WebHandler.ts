/** Turns routes into a function that returns a `Response` for a request. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerError from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import { refuse } from "./ErrorResponses.ts"
import type { Incoming } from "./Body.ts"
import { Handling } from "./Handling.ts"

// No handler reads the host.
const origin = "http://localhost"

/** What HTTP takes a body for that says no type. Effect would take it for JSON. */
const untyped = "application/octet-stream"

const toRequest = ({ body, headers, method, url }: Incoming, signal: AbortSignal) =>
  new Request(url.startsWith("/") ? origin + url : url, {
    method,
    headers: body.isEmpty ? headers : { "content-type": untyped, ...headers },
    signal,
    ...(method === "GET" || method === "HEAD" ? {} : { body: body.bytes() })
  })

/** Only exact paths match, so that a client with a wrong path fails. */
const routing = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: Number.MAX_SAFE_INTEGER
}

const unsupportedMediaType = 415

type Routes = Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | Layer.Success<typeof HttpServer.layerServices>
>

/** `routeNotFound` is the response for an unknown path. */
export const make = Effect.fnUntraced(function* (
  routes: Routes,
  routeNotFound: Effect.Effect<HttpServerResponse.HttpServerResponse>
) {
  const app = yield* HttpRouter.toHttpEffect(Layer.provide(routes, HttpServer.layerServices)).pipe(
    Effect.provideService(HttpRouter.RouterConfig, routing)
  )
  // The handlers use the clock that the sandbox was built with, but not its tracer: a mock server
  // is not part of the program under test.
  const context = Context.add(yield* Effect.context(), Tracer.Tracer, Tracer.nativeTracer)
  const handler = HttpEffect.toWebHandlerWith<never, HttpServerRequest | Scope.Scope>(context)(
    app.pipe(
      Effect.flatMap((response) =>
        response.status === unsupportedMediaType
          ? refuse(400, "The body is not application/json")
          : Effect.succeed(response)
      ),
      Effect.catchIf(HttpServerError.isHttpServerError, () => routeNotFound)
    )
  )

  return (incoming: Incoming): Effect.Effect<Response> =>
    Effect.flatMap(Handling, (handling) =>
      Effect.tryPromise((signal) =>
        handler(toRequest(incoming, signal), Context.make(Handling, handling))
      )
    ).pipe(
      // HTTP allows methods such as TRACE and targets such as `*`, but `Request` does not.
      Effect.catch(() => Effect.map(routeNotFound, HttpServerResponse.toWeb))
    )
})
