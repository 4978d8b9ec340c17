/** Responds to requests that do not match the schema of their endpoint. */
import * as Effect from "effect/Effect"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as SchemaIssue from "effect/SchemaIssue"

const unknownName = ({ ast }: SchemaIssue.UnexpectedKey): string => {
  const names = ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
  return names.length === 0 ? "is not known" : `is not known; these are: ${names.join(", ")}`
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) =>
    issue._tag === "UnexpectedKey" ? unknownName(issue) : SchemaIssue.defaultLeafHook(issue)
})

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

/**
 * Describes what is wrong with a value, without repeating the value. Returns only the first problem,
 * because a caller corrects one at a time.
 */
export const schemaProblem = (issue: SchemaIssue.Issue): string => {
  const [first] = format(issue).issues
  const path = (first?.path ?? []).map(String).join(".")
  const message = messageOfPayload(issue) ?? first?.message ?? "not as described"
  return path === "" ? message : `${path}: ${message}`
}

/** The middleware declares no error, so that every endpoint keeps the errors of the contract. */
export class SchemaErrors extends HttpApiMiddleware.Service<SchemaErrors>()(
  "@messaging-topup/sandbox/SchemaErrors"
) {}

/** `respond` makes the response from a description of the problem. */
export const layer = (respond: (detail: string) => HttpServerResponse) =>
  HttpApiMiddleware.layerSchemaErrorTransform(SchemaErrors, (error) =>
    Effect.succeed(respond(schemaProblem(error.cause.issue)))
  )
