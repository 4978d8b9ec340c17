/**
 * Checks the rows of a file, and gives a key to each row that has none.
 */
import type { NewRow } from "@messaging-topup/journal"
import * as Digests from "./Digests.ts"
import * as Recipient from "./Recipient.ts"
import { type Column, columns, type InvalidRow, invalid, type ReadRow, type RawRow } from "./Row.ts"

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

const hasMore = ({ scheduled_time, sender_id, webhook_url }: Request): boolean =>
  (sender_id ?? webhook_url ?? scheduled_time) !== undefined

const requestOf = ({ cells, line }: RawRow): InvalidRow | Request => {
  const { key: _, message, recipient: cell = "", ...rest } = cells
  const recipient = Recipient.clean(cell)
  if (recipient === "") return invalid(line, empty, "recipient")
  if (message === undefined) return invalid(line, empty, "message")
  for (const column of columns) {
    const problem = problemOf(column, cells[column] ?? "")
    if (problem !== undefined) return invalid(line, problem, column)
  }
  const problem = Recipient.problemOf(recipient)
  return problem === undefined
    ? { recipient, message, ...rest }
    : invalid(line, problem, "recipient")
}

/** The number that is sent, or its problem. */
const numberOf = (recipient: string, normalize: Normalize | undefined): ReturnType<Normalize> => {
  if (normalize !== undefined) return normalize(recipient)
  const problem = Recipient.problemAsItIs(recipient)
  return problem === undefined ? { number: recipient } : { problem }
}

/** The digest of the row as it is in the file, so that its key does not depend on --country. */
const contentOf = (request: Request): Buffer => {
  const { message, recipient, scheduled_time, sender_id, webhook_url } = request
  return hasMore(request)
    ? Digests.digestOf(recipient, message, sender_id, webhook_url, scheduled_time)
    : Digests.digestOf(recipient, message)
}

export interface Checks {
  readonly check: (record: RawRow) => InvalidRow | ReadRow
}

export const make = (normalize: Normalize | undefined): Checks => {
  const contents = Digests.make()
  const texts = Digests.make()
  const keys = Digests.make()
  const keysWithContent = Digests.make()

  const check: Checks["check"] = (record) => {
    const { cells, line } = record
    const request = requestOf(record)
    if ("_tag" in request) return request
    const sent = numberOf(request.recipient, normalize)
    if ("problem" in sent) return invalid(line, sent.problem, "recipient")
    const recipient = sent.number
    const content = contentOf(request)
    const text =
      recipient === request.recipient && !hasMore(request)
        ? content
        : Digests.digestOf(recipient, request.message)
    const { key } = cells
    const isSameKey = key !== undefined && keys.count(Digests.digestOf(key)) > 1
    if (key !== undefined) {
      const isSame = keysWithContent.count(Digests.digestOf(key, content.toString("hex"))) > 1
      if (isSameKey && !isSame) {
        return invalid(line, "an earlier row has this key with other content", "key")
      }
    }
    const occurrence = key === undefined ? contents.count(content) : 1
    const madeKey = `${content.toString("base64url")}${occurrence === 1 ? "" : `-${occurrence}`}`
    return {
      _tag: "Row",
      line,
      row: { key: key ?? madeKey, request: { ...request, recipient } },
      isRepeated: texts.count(text) > 1,
      isSameKey,
      isNormalized: recipient !== request.recipient
    }
  }
  return { check }
}
