/**
 * Describes what is wrong with a value, without repeating the value.
 */
import * as SchemaIssue from "effect/SchemaIssue"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Returns only the first problem, because a caller corrects one at a time. */
export const schemaProblem = (issue: SchemaIssue.Issue): string => {
  const [first] = format(issue).issues
  const path = (first?.path ?? []).map(String).join(".")
  const message = first?.message ?? "not as described"
  return path === "" ? message : `${path}: ${message}`
}
