/**
 * A forced outcome, carried out inside a handler.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { type ForcedOutcome, forcedOutcomes } from "../ForcedOutcomes.ts"
import { errorBody, errorResponse } from "./ErrorResponses.ts"
import { Trail } from "./Trail.ts"

const carryOut = Effect.fnUntraced(function* <A, E, R>(
  outcome: ForcedOutcome,
  value: string,
  success: Effect.Effect<A, E, R>,
  notFoundTitle: string | undefined
) {
  const trail = yield* Trail
  trail.forced = outcome.suffix
  switch (outcome._tag) {
    case "ErrorBody": {
      const title = outcome.status === 404 ? notFoundTitle : undefined
      const detail = `Forced by the end of ${value}`
      return errorResponse(
        outcome.status,
        errorBody(outcome.status, detail, title),
        outcome.headers
      )
    }
    case "Response":
      return HttpServerResponse.text(outcome.body, {
        status: outcome.status,
        contentType: outcome.contentType
      })
    case "Delay": {
      const response = yield* success
      yield* Effect.sleep(Duration.seconds(outcome.seconds))
      return response
    }
    case "Fault":
      trail.fault = outcome.fault
      return yield* success
  }
})

/**
 * What the end of `value` forces, made of `success` where it is made of a success; else `natural`.
 */
export const orForced = Effect.fnUntraced(function* <A, E, R, A2, E2, R2>(
  value: string,
  options: {
    readonly success: Effect.Effect<A, E, R>
    readonly natural: Effect.Effect<A2, E2, R2>
    readonly notFoundTitle?: string
  }
) {
  const outcome = forcedOutcomes.find(({ suffix }) => value.endsWith(suffix))
  return outcome === undefined
    ? yield* options.natural
    : yield* carryOut(outcome, value, options.success, options.notFoundTitle)
})
