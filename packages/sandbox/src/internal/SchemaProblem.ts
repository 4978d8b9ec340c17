/**
 * What is wrong with a value, and where, without the value itself.
 */
import * as SchemaIssue from "effect/SchemaIssue"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The first problem is enough to act on: one is corrected at a time. */
export const schemaProblem = (issue: SchemaIssue.Issue): string => {
  const [first] = format(issue).issues
  const path = (first?.path ?? []).map(String).join(".")
  const message = first?.message ?? "not as described"
  return path === "" ? message : `${path}: ${message}`
}
