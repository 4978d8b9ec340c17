/**
 * The contract as an OpenAPI document.
 *
 * @since 0.1.0
 */
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Predicate from "effect/Predicate"
import { Api } from "./Api.ts"

/**
 * What the generator adds and the description does not say: that no other field may come (a client
 * takes them), that an integer is one that JavaScript holds exactly, and how Effect streams.
 */
const isAddition = (key: string, value: unknown): boolean =>
  key === "x-effect-stream" ||
  (key === "additionalProperties" && value === false) ||
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

/** The generator wraps the one part of an integer with a format; code generators want it plain. */
const unwrapped = (value: unknown): unknown => {
  if (!Predicate.hasProperty(value, "allOf") || !Array.isArray(value.allOf)) return value
  const { allOf, ...others } = value
  return Object.assign(others, ...allOf)
}

/**
 * The OpenAPI 3.1 document of a contract, such as one that the endpoints of the service are a part of.
 *
 * Unstable, as the Effect modules that a contract is made of.
 *
 * @since 0.1.0
 */
export const documentOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): object =>
  JSON.parse(
    JSON.stringify(OpenApi.fromApi(api), (key, value: unknown) =>
      isAddition(key, value) ? undefined : unwrapped(value)
    )
  )

/**
 * The OpenAPI 3.1 document of the service, made from the contract; `openapi.json` of this package is
 * the same, checked in.
 *
 * @since 0.1.0
 */
export const document: object = documentOf(Api)
