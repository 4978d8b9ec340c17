/**
 * One endpoint of a contract, as `HttpApi.reflect` hands it over.
 */
import type * as HttpApi from "effect/http-api/HttpApi"

export type ReflectedEndpoint = Parameters<Parameters<typeof HttpApi.reflect>[1]["onEndpoint"]>[0]
