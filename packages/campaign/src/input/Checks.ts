/**
 * Checks the rows of a file, and gives a key to each row that has none.
 */
import type { NewRow } from "@messaging-topup/journal"
import { outcomeColumn } from "./Columns.ts"
import * as Digests from "./Digests.ts"
import type { Exclusions } from "./Exclusions.ts"
import * as Recipient from "./Recipient.ts"
import {
  type Cells,
  type Column,
  columns,
  fields,
  type FileRow,
  type InvalidRow,
  invalid,
  type RawRow
} from "./Row.ts"
import { hasPlaceholder, type Template } from "./Template.ts"

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

const unfilled =
  "it has a placeholder such as {name} that is not filled: give --template, which fills it from columns"

const sentBefore =
  "only a rejected row is sent again by run: use resolve-unknown --as resend for a row of unknown outcome"

const messageOf = (
  cells: Cells,
  template: Template | undefined
): ReturnType<Template["render"]> => {
  if (template !== undefined) return template.render(cells)
  const text = cells.get("message")
  if (text === undefined) return { column: "message", problem: empty }
  return hasPlaceholder(text) ? { column: "message", problem: unfilled } : { text }
}

const requestOf = (
  { cells, line }: RawRow,
  template: Template | undefined
): InvalidRow | Request => {
  if ((cells.get(outcomeColumn) ?? "rejected") !== "rejected") {
    return invalid(line, sentBefore, outcomeColumn)
  }
  const recipient = Recipient.clean(cells.get("recipient") ?? "")
  if (recipient === "") return invalid(line, empty, "recipient")
  const message = messageOf(cells, template)
  if ("problem" in message) return invalid(line, message.problem, message.column)
  const values = new Map([...cells, ["recipient", recipient], ["message", message.text]])
  for (const column of columns) {
    const problem = problemOf(column, values.get(column) ?? "")
    if (problem !== undefined) return invalid(line, problem, column)
  }
  const problem = Recipient.problemOf(recipient)
  if (problem !== undefined) return invalid(line, problem, "recipient")
  const given = fields.flatMap((field) => {
    const text = values.get(field)
    return text === undefined ? [] : [[field, text] as const]
  })
  return { recipient, message: message.text, ...Object.fromEntries(given) }
}

/**
 * The digest of the row as it is in the file, so that its key does not depend on --country. It ends with
 * the last field that is given, so that a field of a later version does not change the keys of today.
 */
const contentOf = (request: Request): Buffer => {
  const values = fields.map((field) => request[field])
  return Digests.digestOf(...values.slice(0, values.findLastIndex(Boolean) + 1))
}

export interface CheckOptions {
  /** Default: numbers stay as they are. */
  readonly normalize?: Recipient.Normalize | undefined
  /** Makes the texts. Default: they are in the column `message`. */
  readonly template?: Template | undefined
  /** Numbers that are not written to. */
  readonly exclusions?: Exclusions | undefined
  /** Whether several rows may have the same recipient. */
  readonly allowRepeats: boolean
  readonly trial?: Trial | undefined
}

/** Sends some of the rows only. */
export interface Trial {
  /** Sends the first rows, so many of those that can be sent. */
  readonly limit?: number | undefined
  /** Sends them to this number instead. */
  readonly to?: string | undefined
}

const secondToRecipient =
  "an earlier row has this recipient: remove one, or give --allow-repeats to send both"

/** Returns the checks of one file, which remember its rows. */
export const make = ({
  allowRepeats,
  exclusions,
  normalize,
  template,
  trial: { limit = Infinity, to } = {}
}: CheckOptions) => {
  const contents = Digests.make()
  const texts = Digests.make()
  const keys = Digests.make()
  const keysWithContent = Digests.make()
  const recipients = Digests.make()
  let sendable = 0

  /** How an earlier row had the key of this one. */
  const earlierKey = (key: string | undefined, content: Buffer) => {
    if (key === undefined) return "none"
    const isKnown = keys.count(Digests.digestOf(key)) > 1
    const isSame = keysWithContent.count(Digests.digestOf(key, content.toString("hex"))) > 1
    if (isSame) return "same"
    return isKnown ? "other" : "none"
  }

  /** In a trial, the row's own key is left for the campaign that follows. */
  const keyOf = (key: string | undefined, content: Buffer): string => {
    if (key !== undefined && to === undefined) return key
    const occurrence = contents.count(content)
    return `${content.toString("base64url")}${occurrence === 1 ? "" : `-${occurrence}`}`
  }

  return (record: RawRow): FileRow => {
    const { cells, line } = record
    const request = requestOf(record, template)
    if ("_tag" in request) return request
    const sent = Recipient.numberOf(request.recipient, normalize)
    if ("problem" in sent) return invalid(line, sent.problem, "recipient")
    const recipient = sent.number
    if (exclusions?.has(recipient) === true) {
      return { _tag: "SkippedRow", line, reason: "excluded" }
    }
    const content = contentOf(request)
    const key = cells.get("key")
    const earlier = earlierKey(key, content)
    if (earlier === "other") {
      return invalid(line, "an earlier row has this key with other content", "key")
    }
    const isSameKey = earlier === "same"
    const isSecondToRecipient =
      !isSameKey && recipients.count(Digests.digestOf(Recipient.identityOf(recipient))) > 1
    if (isSecondToRecipient && !allowRepeats) {
      return { ...invalid(line, secondToRecipient, "recipient"), isSecondToRecipient }
    }
    if (!isSameKey) sendable++
    if (sendable > limit) return { _tag: "SkippedRow", line, reason: "over-limit" }
    const text = Digests.digestOf(recipient, request.message)
    return {
      _tag: "Row",
      line,
      row: { key: keyOf(key, content), line, request: { ...request, recipient: to ?? recipient } },
      isRepeated: texts.count(text) > 1,
      isSameKey,
      isSecondToRecipient,
      isNormalized: recipient !== request.recipient
    }
  }
}
