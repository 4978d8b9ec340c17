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

const paths = Object.values(Api.groups.messagingTopup.endpoints).map(
  ({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]*")}$`)
)

/** Whether a request is meant for one of the five endpoints, whatever its method. */
export const isServicePath = (url: string): boolean => {
  const [path = ""] = url.split("?", 1)
  return paths.some((pattern) => pattern.test(path))
}

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
