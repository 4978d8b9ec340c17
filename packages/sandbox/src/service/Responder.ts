/** Handles one request to the service, for every transport. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { applyFault } from "../faults/Faults.ts"
import type { FaultControl } from "../faults/FaultControl.ts"
import { bodyTooLarge, Refusals, refuse } from "../http/ErrorResponses.ts"
import type { Incoming } from "../http/Body.ts"
import { ConnectionReset } from "../http/Body.ts"
import * as WebHandler from "../http/WebHandler.ts"
import type { Messages } from "../record/Messages.ts"
import type { Entry } from "../record/Requests.ts"
import * as Handlers from "./Handlers.ts"
import { isServicePath, layerMiddleware, ServiceApi } from "./ServiceApi.ts"

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

/**
 * Makes the response and records the outcome in the log entry. Never ends if the fault is to send
 * nothing: interrupt it when the client disconnects.
 */
export const make = Effect.fnUntraced(function* (
  messages: Messages,
  faults: FaultControl,
  token: Redacted.Redacted
) {
  const handle = yield* WebHandler.make<Handlers.Call>(
    HttpApiBuilder.layer(ServiceApi).pipe(
      Layer.provide(Handlers.layer(messages)),
      Layer.provide(layerMiddleware(token))
    ),
    refuse(404, "The sandbox has no such endpoint")
  )

  const respond = Effect.fnUntraced(function* (incoming: Incoming, { became }: Entry) {
    // Automatic requests of a browser or a probe must not use up a fault.
    const isMeant = incoming.method !== "OPTIONS" && isServicePath(incoming.url)
    const fault = isMeant ? faults.take() : undefined
    const call: Handlers.Call["Service"] = {
      outcome: fault === undefined ? {} : { fault: fault.fault }
    }
    became(call.outcome)
    const context = Context.make(Handlers.Call, call).pipe(
      Context.add(Refusals, (refusal) => became({ refusal }))
    )
    const accept = incoming.body.isTooLarge
      ? Effect.map(refuse(413, bodyTooLarge), (response) => HttpServerResponse.toWeb(response))
      : handle(incoming, context)
    const accepted = accept.pipe(
      Effect.provide(context),
      Effect.tap(() => Effect.sync(() => became(call.outcome)))
    )
    if (fault !== undefined) return yield* applyFault(fault, accepted)
    const response = yield* accepted
    return call.forcedFault === undefined
      ? response
      : yield* applyFault(call.forcedFault, Effect.succeed(response))
  })

  return (incoming: Incoming, entry: Entry): Effect.Effect<Response, ConnectionReset> =>
    // A preflight comes from the browser. The fault is meant for the request after it.
    (isPreflight(incoming) ? Effect.sync(preflight) : respond(incoming, entry)).pipe(
      Effect.map(allowReading),
      Effect.tap((response) => Effect.sync(() => entry.became({ status: response.status }))),
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError("The sandbox failed because of a defect", defect),
          Effect.fail(new ConnectionReset())
        )
      )
    )
})
