/** The contract of the service, with the sandbox's responses to requests that do not match it. */
import { Api, BearerAuth } from "@messaging-topup/core/api"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { refuse } from "../http/ErrorResponses.ts"
import * as SchemaErrors from "../http/SchemaErrors.ts"

export const ServiceApi = Api.middleware(SchemaErrors.SchemaErrors)

const paths = Object.values(Api.groups.messagingTopup.endpoints).map(
  ({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]*")}$`)
)

/** Returns whether the path is one of the five endpoints, with any method. */
export const isServicePath = (url: string): boolean => {
  const [path = ""] = url.split("?", 1)
  return paths.some((pattern) => pattern.test(path))
}

const schemaErrors = SchemaErrors.layer((detail) => refuse(400, detail))

const bearerAuth = (token: Redacted.Redacted) =>
  Layer.succeed(BearerAuth, {
    bearer: (response, { credential }) =>
      Redacted.value(credential) === Redacted.value(token)
        ? response
        : refuse(401, "The bearer token is missing or wrong")
  })

export const layerMiddleware = (token: Redacted.Redacted) =>
  Layer.merge(schemaErrors, bearerAuth(token))
