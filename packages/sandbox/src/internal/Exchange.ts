/**
 * One request and its response, whatever carries them.
 */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Redacted from "effect/Redacted"
import * as Cors from "./Cors.ts"
import { errorBody, errorResponse } from "./ErrorResponses.ts"
import type { FaultControl } from "./FaultControl.ts"
import { afterAcceptance, ConnectionReset, withoutAcceptance } from "./FaultyResponse.ts"
import type { Incoming } from "./Incoming.ts"
import type { State } from "./State.ts"
import * as WebHandler from "./WebHandler.ts"

/** Never ends where the fault is silence; interrupt it when the client leaves. */
export type Exchange = (incoming: Incoming) => Effect.Effect<Response, ConnectionReset>

// Its host is never looked at.
const origin = "https://sandbox.invalid"

const toRequest =
  ({ body, headers, method, url }: Incoming) =>
  (signal: AbortSignal) =>
    new Request(url.startsWith("/") ? origin + url : url, {
      method,
      headers,
      signal,
      ...(method === "GET" || method === "HEAD" ? {} : { body: body.bytes() })
    })

const tooLarge = () => ({
  response: HttpServerResponse.toWeb(
    errorResponse(413, errorBody(413, "The body is larger than 1 MiB"))
  ),
  forced: undefined
})

export const make = Effect.fnUntraced(function* (
  state: State["Service"],
  faults: FaultControl,
  token: Redacted.Redacted
) {
  const handle = yield* WebHandler.make(state, token)

  const rightResponse = (incoming: Incoming) =>
    incoming.body.isTooLarge ? Effect.sync(tooLarge) : handle(toRequest(incoming))

  const underFault = Effect.fnUntraced(function* (incoming: Incoming) {
    const fault = yield* faults.take
    const early = fault === undefined ? undefined : withoutAcceptance(fault)
    if (early !== undefined) return yield* early
    const { forced, response } = yield* rightResponse(incoming)
    const late = fault ?? forced
    return late === undefined ? response : yield* afterAcceptance(late, response)
  })

  const exchange: Exchange = (incoming) =>
    // A preflight is the browser's own request: a fault is meant for the one that follows.
    (Cors.isPreflight(incoming.method, incoming.headers)
      ? Effect.sync(Cors.preflight)
      : underFault(incoming)
    ).pipe(
      Effect.map(Cors.allowReading),
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError("The sandbox failed on its own account", defect),
          Effect.fail(new ConnectionReset())
        )
      )
    )
  return exchange
})
