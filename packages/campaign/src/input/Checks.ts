/**
 * Checks the rows of a file, and gives a key to each row that has none.
 */
import type { NewRow } from "@messaging-topup/journal"
import * as Digests from "./Digests.ts"
import * as Recipient from "./Recipient.ts"
import {
  type Cells,
  type Column,
  columns,
  type InvalidRow,
  invalid,
  type ReadRow,
  type RawRow
} from "./Row.ts"
import { hasPlaceholder, type Template } from "./Template.ts"

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

const unfilled =
  "it has a placeholder such as {name} that is not filled: give --template, which fills it from columns"

const messageOf = (
  cells: Cells,
  template: Template | undefined
): ReturnType<Template["render"]> => {
  if (template !== undefined) return template.render(cells)
  const text = cells.get("message")
  if (text === undefined) return { column: "message", problem: empty }
  return hasPlaceholder(text) ? { column: "message", problem: unfilled } : { text }
}

const optionalFields = ["sender_id", "webhook_url", "scheduled_time"] as const

const requestOf = (
  { cells, line }: RawRow,
  template: Template | undefined
): InvalidRow | Request => {
  const recipient = Recipient.clean(cells.get("recipient") ?? "")
  if (recipient === "") return invalid(line, empty, "recipient")
  const message = messageOf(cells, template)
  if ("problem" in message) return invalid(line, message.problem, message.column)
  for (const column of columns) {
    const text = column === "message" ? message.text : (cells.get(column) ?? "")
    const problem = problemOf(column, text)
    if (problem !== undefined) return invalid(line, problem, column)
  }
  const problem = Recipient.problemOf(recipient)
  if (problem !== undefined) return invalid(line, problem, "recipient")
  const rest = optionalFields.flatMap((column) => {
    const text = cells.get(column)
    return text === undefined ? [] : [[column, text] as const]
  })
  return { recipient, message: message.text, ...Object.fromEntries(rest) }
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

export interface CheckOptions {
  /** Default: numbers stay as they are. */
  readonly normalize?: Normalize | undefined
  /** Makes the texts. Default: they are in the column `message`. */
  readonly template?: Template | undefined
}

export interface Checks {
  readonly check: (record: RawRow) => InvalidRow | ReadRow
}

export const make = ({ normalize, template }: CheckOptions): Checks => {
  const contents = Digests.make()
  const texts = Digests.make()
  const keys = Digests.make()
  const keysWithContent = Digests.make()

  const check: Checks["check"] = (record) => {
    const { cells, line } = record
    const request = requestOf(record, template)
    if ("_tag" in request) return request
    const sent = numberOf(request.recipient, normalize)
    if ("problem" in sent) return invalid(line, sent.problem, "recipient")
    const recipient = sent.number
    const content = contentOf(request)
    const text =
      recipient === request.recipient && !hasMore(request)
        ? content
        : Digests.digestOf(recipient, request.message)
    const key = cells.get("key")
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
