/** The contract as an OpenAPI document. */
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Predicate from "effect/Predicate"
import { Api } from "./Api.ts"

/**
 * Returns whether the generator added a keyword that the service description does not state: that
 * no other field is allowed (a client accepts them), the range of JavaScript's safe integers, and
 * Effect's extension for streams.
 */
const isAddition = (key: string, value: unknown): boolean =>
  key === "x-effect-stream" ||
  (key === "additionalProperties" && value === false) ||
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

/** The generator wraps an integer with a format in `allOf`, which code generators do not expect. */
const unwrapped = (value: unknown): unknown => {
  if (!Predicate.hasProperty(value, "allOf") || !Array.isArray(value.allOf)) return value
  const { allOf, ...others } = value
  return Object.assign(others, ...allOf)
}

/**
 * Returns the OpenAPI 3.1 document of a contract, such as one that includes the endpoints of the
 * service.
 *
 * Unstable, because the Effect modules of a contract are unstable.
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
 * The OpenAPI 3.1 document of the service. The file `openapi.json` of this package has the same
 * content.
 */
export const document: object = documentOf(Api)
