/**
 * The contract of the service, with the sandbox's own responses to what does not fit it.
 */
import { Api, BearerAuth } from "@messaging-topup/core/api"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { errorBody, errorResponse } from "./ErrorResponses.ts"
import * as Misfits from "./Misfits.ts"

export const ServiceApi = Api.middleware(Misfits.Misfits)

const misfits = Misfits.layer((detail) => errorResponse(400, errorBody(400, detail)))

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
