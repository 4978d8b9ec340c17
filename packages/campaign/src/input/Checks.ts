/**
 * Checks the rows of a file, and gives a key to each row that has none.
 */
import type { NewRow } from "@messaging-topup/journal"
import * as Digests from "./Digests.ts"
import {
  type Column,
  columns,
  fields,
  type InvalidRow,
  invalid,
  type ReadRow,
  type RawRow
} from "./Row.ts"

/** Returns a number in E.164, or the problem with it. */
export type Normalize = (
  recipient: string
) => { readonly number: string } | { readonly problem: string }

const maxKeyLength = 512

/** The checks of the journal on what it stores. */
const problemOf = (column: Column, text: string): string | undefined => {
  if (text.includes("\0")) return "it must not contain the character U+0000"
  if (!text.isWellFormed()) return "it must not contain half of a surrogate pair"
  return column === "key" && text.length > maxKeyLength
    ? `it must have at most ${maxKeyLength} characters`
    : undefined
}

const empty = "it is empty"

type Request = NewRow["request"]

const requestOf = ({ cells, line }: RawRow): InvalidRow | Request => {
  const { key: _, message, recipient, ...rest } = cells
  if (recipient === undefined) return invalid(line, empty, "recipient")
  if (message === undefined) return invalid(line, empty, "message")
  for (const column of columns) {
    const problem = problemOf(column, cells[column] ?? "")
    if (problem !== undefined) return invalid(line, problem, column)
  }
  return { recipient, message, ...rest }
}

/**
 * The digest of the row as it is in the file, so that its key does not depend on --country. It ends with
 * the last field that is given, so that a field of a later version does not change the keys of today.
 */
const contentOf = (request: Request): Buffer => {
  const values = fields.map((field) => request[field])
  return Digests.digestOf(...values.slice(0, values.findLastIndex(Boolean) + 1))
}

/** Returns the checks of one file, which remember its rows. */
export const make = (normalize: Normalize | undefined) => {
  const contents = Digests.make()
  const texts = Digests.make()
  const keys = Digests.make()
  const keysWithContent = Digests.make()

  return (record: RawRow): InvalidRow | ReadRow => {
    const { cells, line } = record
    const request = requestOf(record)
    if ("_tag" in request) return request
    const normalized = normalize?.(request.recipient)
    if (normalized !== undefined && "problem" in normalized) {
      return invalid(line, normalized.problem, "recipient")
    }
    const recipient = normalized?.number ?? request.recipient
    const content = contentOf(request)
    const text = Digests.digestOf(recipient, request.message)
    const { key } = cells
    const isSameKey = key !== undefined && keys(Digests.digestOf(key)) > 1
    if (key !== undefined) {
      const isSame = keysWithContent(Digests.digestOf(key, content.toString("hex"))) > 1
      if (isSameKey && !isSame) {
        return invalid(line, "an earlier row has this key with other content", "key")
      }
    }
    const occurrence = key === undefined ? contents(content) : 1
    const madeKey = `${content.toString("base64url")}${occurrence === 1 ? "" : `-${occurrence}`}`
    return {
      _tag: "Row",
      line,
      row: { key: key ?? madeKey, request: { ...request, recipient } },
      isRepeated: texts(text) > 1,
      isSameKey,
      isNormalized: recipient !== request.recipient
    }
  }
}
