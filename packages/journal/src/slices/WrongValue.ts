/**
 * Checks values before they are stored: both databases must return them unchanged.
 */
import type { NewRow } from "./Row.ts"
import { fields } from "./RowColumns.ts"

const maxNameLength = 512

const problemOf = (value: unknown): string | undefined => {
  if (typeof value !== "string") return "it must be a string"
  // PostgreSQL cannot store U+0000, and half of a surrogate pair cannot be encoded as UTF-8.
  if (value.includes("\0")) return "it must not contain the character U+0000"
  return value.isWellFormed() ? undefined : "it must not contain half of a surrogate pair"
}

interface WrongValue {
  readonly field: string
  readonly problem: string
}

/** Checks the key of a row or a single send, or the id of a campaign. */
export const wrongName = (field: string, name: string): WrongValue | undefined => {
  const isSized = name.length > 0 && name.length <= maxNameLength
  const problem =
    problemOf(name) ?? (isSized ? undefined : `it must have 1 to ${maxNameLength} characters`)
  return problem === undefined ? undefined : { field, problem }
}

/** Returns the first value that cannot be stored. */
export const wrongValue = ({ key, line = 1, request }: NewRow): WrongValue | undefined => {
  const wrong = wrongName("key", key)
  if (wrong !== undefined) return wrong
  if (!Number.isSafeInteger(line) || line < 1) {
    return { field: "line", problem: "it must be a whole number from 1" }
  }
  for (const field of fields) {
    const value = request[field]
    const isLeftOut = value === undefined && field !== "recipient" && field !== "message"
    const problem = isLeftOut ? undefined : problemOf(value)
    if (problem !== undefined) return { field, problem }
  }
  return undefined
}
