/**
 * The contract, with the sandbox's own responses to what does not fit it.
 */
import { Api, BearerAuth } from "@messaging-topup/core/api"
import * as Effect from "effect/Effect"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { errorBody, errorResponse } from "./ErrorResponses.ts"

/** It declares no error, so that every endpoint keeps the errors that the contract gives it. */
class Misfits extends HttpApiMiddleware.Service<Misfits>()("@messaging-topup/sandbox/Misfits") {}

export const SandboxApi = Api.middleware(Misfits)

const misfits = HttpApiMiddleware.layerSchemaErrorTransform(Misfits, (error) =>
  Effect.succeed(errorResponse(400, errorBody(400, error.cause.message)))
)

const bearerAuth = (token: Redacted.Redacted) =>
  Layer.succeed(BearerAuth, {
    bearer: (response, { credential }) =>
      Redacted.value(credential) === Redacted.value(token)
        ? response
        : Effect.succeed(
            errorResponse(
              401,
              errorBody(401, "The bearer token is missing or is not the sandbox's")
            )
          )
  })

export const layerMiddleware = (token: Redacted.Redacted) => Layer.merge(misfits, bearerAuth(token))
