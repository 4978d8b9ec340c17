/**
 * The response to a request that does not fit its endpoint.
 */
import * as Effect from "effect/Effect"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as SchemaIssue from "effect/SchemaIssue"

/** It declares no error, so that every endpoint keeps the errors that the contract gives it. */
export class Misfits extends HttpApiMiddleware.Service<Misfits>()(
  "@messaging-topup/sandbox/Misfits"
) {}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** What is wrong, and where; never the value itself. One is corrected at a time. */
const problem = (issue: SchemaIssue.Issue): string => {
  const [first] = format(issue).issues
  const path = (first?.path ?? []).map(String).join(".")
  const message = first?.message ?? "not as described"
  return path === "" ? message : `${path}: ${message}`
}

/** `respond` makes the response of what is wrong. */
export const layer = (respond: (detail: string) => HttpServerResponse) =>
  HttpApiMiddleware.layerSchemaErrorTransform(Misfits, (error) =>
    Effect.succeed(respond(problem(error.cause.issue)))
  )
