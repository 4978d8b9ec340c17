/**
 * The contract as an OpenAPI document.
 *
 * @since 0.1.0
 */
import * as OpenApi from "effect/http-api/OpenApi"
import * as Predicate from "effect/Predicate"
import { Api } from "./Api.ts"

/**
 * What the generator adds and the description does not say: that no other field may come (a client
 * takes them), and that an integer is one that JavaScript holds exactly.
 */
const isAddition = (key: string, value: unknown): boolean =>
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
 * The OpenAPI 3.1 document of the service, made from the contract; `openapi.json` of this package is
 * the same, checked in.
 *
 * @since 0.1.0
 */
export const document: object = JSON.parse(
  JSON.stringify(OpenApi.fromApi(Api), (key, value: unknown) =>
    isAddition(key, value) ? undefined : unwrapped(value)
  )
)
