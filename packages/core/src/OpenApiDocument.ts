/**
 * The contract as an OpenAPI document.
 *
 * @since 0.1.0
 */
import * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "./Api.ts"

/**
 * The OpenAPI 3.1 document of the service, made from the contract; `openapi.json` of this package is
 * the same, checked in.
 *
 * @since 0.1.0
 */
export const document: object = OpenApi.fromApi(Api)
