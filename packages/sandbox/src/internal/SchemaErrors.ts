/**
 * The response to a request that does not fit its endpoint.
 */
import * as Effect from "effect/Effect"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { schemaProblem } from "./SchemaProblem.ts"

/** It declares no error, so that every endpoint keeps the errors that the contract gives it. */
export class Misfits extends HttpApiMiddleware.Service<Misfits>()(
  "@messaging-topup/sandbox/Misfits"
) {}

/** `respond` makes the response of what is wrong. */
export const layer = (respond: (detail: string) => HttpServerResponse) =>
  HttpApiMiddleware.layerSchemaErrorTransform(Misfits, (error) =>
    Effect.succeed(respond(schemaProblem(error.cause.issue)))
  )
