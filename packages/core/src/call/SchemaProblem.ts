/** Turns a schema issue into a path and a problem, without the value that caused it. */
import * as SchemaIssue from "effect/SchemaIssue"
import { missing } from "../errors/Failure.ts"

/** The names tell a caller which one was meant. */
const unknownField = (ast: SchemaIssue.UnexpectedKey["ast"]): string => {
  const names = ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
  return `not a documented field; these are ${names.join(", ")}`
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "MissingKey") return missing
    return issue._tag === "UnexpectedKey"
      ? unknownField(issue.ast)
      : SchemaIssue.defaultLeafHook(issue)
  }
})

/** The keys that are shown, such as a header's. An unknown one could be anything, such as a phone number. */
const shown = /^([A-Za-z_][\w-]{0,63}|\d{1,5})$/

const key = (segment: PropertyKey | { readonly key: PropertyKey }): string => {
  const name = String(typeof segment === "object" ? segment.key : segment)
  return shown.test(name) ? name : "(a key that is not shown)"
}

export interface Problem {
  readonly path: string
  readonly problem: string
}

/** Returns only the first issue, because a caller corrects one at a time. */
export const firstProblem = (issue: SchemaIssue.Issue): Problem => {
  const first = format(issue).issues[0]
  return {
    path: (first?.path ?? []).map(key).join("."),
    problem: first?.message ?? "not as described"
  }
}
