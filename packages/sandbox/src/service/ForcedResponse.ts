/**
 * Applies a forced outcome in a handler.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { type ForcedOutcome, outcomeOfEnding } from "./ForcedOutcomes.ts"
import { errorBody, errorResponse } from "../http/ErrorResponses.ts"
import { RequestDetails } from "./RequestDetails.ts"

const applyOutcome = Effect.fnUntraced(function* <A, E, R>(
  outcome: ForcedOutcome,
  value: string,
  success: Effect.Effect<A, E, R>,
  notFoundTitle: string | undefined
) {
  const details = yield* RequestDetails
  details.outcome = { fault: outcome.suffix, ...details.outcome }
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
      details.fault = outcome.fault
      return yield* success
  }
})

/**
 * Returns the outcome that the end of `value` forces, or `normal` if it forces none. Some outcomes
 * are a changed `success`.
 */
export const orForced = Effect.fnUntraced(function* <A, E, R, A2, E2, R2>(
  value: string,
  options: {
    readonly success: Effect.Effect<A, E, R>
    readonly normal: Effect.Effect<A2, E2, R2>
    readonly notFoundTitle?: string
  }
) {
  const outcome = outcomeOfEnding(value)
  return outcome === undefined
    ? yield* options.normal
    : yield* applyOutcome(outcome, value, options.success, options.notFoundTitle)
})
