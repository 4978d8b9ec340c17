/**
 * Schema issues as a place and a problem, without the value that caused them.
 */
import * as SchemaIssue from "effect/SchemaIssue"

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) =>
    issue._tag === "UnexpectedKey"
      ? "Not a documented field: check its spelling"
      : SchemaIssue.defaultLeafHook(issue)
})

const key = (segment: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof segment === "object" ? segment.key : segment)

export interface Problem {
  readonly path: string
  readonly problem: string
}

/** The first issue is enough to act on: one is corrected at a time. */
export const firstProblem = (issue: SchemaIssue.Issue): Problem => {
  const first = format(issue).issues[0]
  return {
    path: (first?.path ?? []).map(key).join("."),
    problem: first?.message ?? "not as described"
  }
}
