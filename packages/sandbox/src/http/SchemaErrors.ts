/** Responds to requests that do not match the schema of their endpoint. */
import { firstProblem } from "@messaging-topup/core/internal"
import { problemOf } from "@messaging-topup/core/internal/errors"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import type * as SchemaIssue from "effect/SchemaIssue"
import { refuse } from "./ErrorResponses.ts"

/**
 * A payload that is no object: it is a member of a union of content types, whose own message would be
 * the name of the schema.
 */
const messageOfPayload = (issue: SchemaIssue.Issue): string | undefined => {
  if (issue._tag !== "AnyOf" || issue.ast._tag !== "Union" || issue.issues.length > 0)
    return undefined
  const [only, ...others] = issue.ast.types
  const message = only?.annotations?.["message"]
  if (others.length > 0) return undefined
  return typeof message === "string" ? message : "Expected a JSON object"
}

/** Describes what is wrong with a value, without repeating the value. */
export const schemaProblem = (issue: SchemaIssue.Issue): string => {
  const { path, problem } = firstProblem(issue)
  return path === "" ? (messageOfPayload(issue) ?? problem) : problemOf(path, problem)
}

/** The middleware declares no error, so that every endpoint keeps the errors of the contract. */
export class SchemaErrors extends HttpApiMiddleware.Service<SchemaErrors>()(
  "@messaging-topup/sandbox/SchemaErrors"
) {}

export const layer = HttpApiMiddleware.layerSchemaErrorTransform(SchemaErrors, (error) =>
  refuse(400, schemaProblem(error.cause.issue))
)
