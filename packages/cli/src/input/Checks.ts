/**
 * Reads and checks the rows of a file, and gives a key to each row that has none. The rows are not kept; memory
 * grows only by the digests that find duplicates.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import { Phone } from "@messaging-topup/core/internal"
import { wrongSend } from "@messaging-topup/journal/internal"
import * as Stream from "effect/Stream"
import * as Csv from "./Csv.ts"
import * as Digests from "./Digests.ts"
import type { IsExcluded } from "./Exclusions.ts"
import * as Header from "./Header.ts"
import type { InputError } from "../Failure.ts"
import * as Recipient from "./Recipient.ts"
import { type Cells, fields, type FileRow, type InvalidRow, invalid, type RawRow } from "./Row.ts"
import type { Source } from "./Source.ts"
import { hasPlaceholder, type Template } from "./Template.ts"
import { decoded, type Encoding } from "./Encoding.ts"
import { excluded } from "../words/Outcome.ts"

const empty = "it is empty"

const unfilled =
  'it has a placeholder such as {name} that is not filled: give --template, which fills it from columns, or --template "{message}" if it belongs to the text'

const messageOf = (
  cells: Cells,
  template: Template | undefined
): ReturnType<Template["render"]> => {
  if (template !== undefined) return template.render(cells)
  const text = cells.get("message")
  if (text === undefined) return { column: "message", problem: empty }
  return hasPlaceholder(text) ? { column: "message", problem: unfilled } : { text }
}

const requestOf = (raw: RawRow, template: Template | undefined): InvalidRow | SendSmsRequest => {
  const { cells } = raw
  const recipient = Recipient.clean(cells.get("recipient") ?? "")
  if (recipient === "") return invalid(raw, empty, "recipient")
  const message = messageOf(cells, template)
  if ("problem" in message) return invalid(raw, message.problem, message.column)
  const given: Record<string, string> = {}
  for (const field of fields) {
    const text = cells.get(field)
    if (text !== undefined) given[field] = text
  }
  const request = { ...given, recipient, message: message.text }
  // A row without a key gets one that can be stored.
  const wrong = wrongSend("sendMany", cells.get("key") ?? "made", request)
  if (wrong !== undefined) return invalid(raw, wrong.problem, wrong.field)
  const problem = Recipient.problemOf(recipient)
  return problem === undefined ? request : invalid(raw, problem, "recipient")
}

/**
 * The row as it is in the file, so that its key does not depend on --country. It ends with the last field
 * that is given, so that a field of a later version does not change the keys of today.
 */
const contentOf = (request: SendSmsRequest): ReadonlyArray<string> => {
  const values = fields.map((field) => request[field] ?? "")
  return values.slice(0, values.findLastIndex((value) => value !== "") + 1)
}

export interface ReadOptions extends Csv.CsvOptions {
  /** Makes the key of a row that has none. It must be keyed: a plain hash of a number can be guessed. */
  readonly keyOf: (...parts: ReadonlyArray<string>) => string
  /** Default: numbers stay as they are. */
  readonly normalize?: Recipient.Normalize | undefined
  /** Numbers that are not written to. Default: none. */
  readonly isExcluded?: IsExcluded | undefined
  /** Whether several rows may have the same recipient. */
  readonly allowRepeats: boolean
  /** Of a file that `results` wrote: only rows with this outcome. */
  readonly outcome?: string | undefined
  /** Sends them to this number instead. */
  readonly to?: string | undefined
}

const secondOfKey = (first: number): string =>
  `the row of line ${first} has this key: give each row a key of its own`

export const secondToRecipient = (first: number): string =>
  `the row of line ${first} has this recipient: remove one, or give --allow-repeats to send both`

/** Returns the checks of one file, which remember its rows. */
const make = (options: ReadOptions) => {
  const { allowRepeats, isExcluded, keyOf, normalize, template, to } = options
  const contents = Digests.make()
  const keys = Digests.make()
  const recipients = Digests.make()

  const keyOfRow = (request: SendSmsRequest, ownKey: string | undefined): string => {
    if (ownKey !== undefined) return ownKey
    const content = contentOf(request)
    const key = keyOf("row", ...content)
    // Equal rows are several SMS: the key contains which of them this is.
    const occurrence = allowRepeats ? contents.count(...content) : 1
    return occurrence === 1 ? key : `${key}-${occurrence}`
  }

  /** What is wrong with a row after the rows before it. */
  const problemOf = (
    line: number,
    ownKey: string | undefined,
    firstToRecipient: number
  ): readonly [problem: string, field: string] | undefined => {
    const firstOfKey = ownKey === undefined ? line : keys.firstLine(line, ownKey)
    if (firstOfKey !== line) return [secondOfKey(firstOfKey), "key"]
    return firstToRecipient !== line && !allowRepeats
      ? [secondToRecipient(firstToRecipient), "recipient"]
      : undefined
  }

  return (raw: RawRow): FileRow => {
    const { cells, given, line } = raw
    const request = requestOf(raw, template)
    if ("_tag" in request) return request
    const sent = Recipient.numberOf(request.recipient, normalize)
    if ("problem" in sent) return invalid(raw, sent.problem, "recipient")
    const recipient = sent.number
    const ownKey = cells.get("key")
    const firstToRecipient = recipients.firstLine(line, Phone.sameForm(recipient))
    const wrong = problemOf(line, ownKey, firstToRecipient)
    const isOptedOut = isExcluded?.(recipient) === true
    if (wrong !== undefined) {
      return isOptedOut ? { _tag: "ExcludedRow", line, given } : invalid(raw, ...wrong)
    }
    const key = keyOfRow(request, ownKey)
    const row = { key, request: { ...request, recipient: to ?? recipient } }
    if (isOptedOut) return { _tag: "ExcludedRow", line, given, row }
    return { _tag: "Row", line, given, row, firstToRecipient }
  }
}

/** Each run of the stream reads the source from its beginning. */
export const rows = (
  source: Source,
  encoding: Encoding,
  options: ReadOptions
): Stream.Stream<FileRow, InputError> =>
  Stream.suspend(() => {
    const check = make(options)
    const { outcome } = options
    return Csv.records(source.name, decoded(source, encoding), options).pipe(
      Stream.filter(
        (record) =>
          outcome === undefined ||
          record._tag === "InvalidRow" ||
          record.cells.get(Header.outcomeColumn) === outcome
      ),
      Stream.map((record) => {
        if (record._tag === "InvalidRow") return record
        const { cells, given, line } = record
        // Who opted out gets nothing later, either.
        return outcome !== undefined && cells.get(Header.reasonColumn) === excluded
          ? { _tag: "ExcludedRow", line, given }
          : check(record)
      })
    )
  })
