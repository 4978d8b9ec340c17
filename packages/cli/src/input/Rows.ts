/**
 * Reads and checks the rows of a file, and gives each row a key if the file has none. The rows are not kept; memory
 * grows only by the digests that find duplicates.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import {
  type Doubtful,
  doubtfulIn,
  Phone,
  type Unmeant,
  unmeant,
  unmeantPart
} from "@messaging-topup/core/internal"
import { checkName, partsOf, readSend, sameForms } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Digests from "./Digests.ts"
import type { StopList } from "./StopList.ts"
import type { ColumnOptions } from "./Header.ts"
import type { InputError } from "../CommandError.ts"
import * as Recipient from "./Recipient.ts"
import { type Cells, fields, type FileRow, type InvalidRow, invalid, type RawRow } from "./Row.ts"
import type { Sheet } from "./Sheet.ts"
import { hasUnfilled, namedBy, type Template } from "./Template.ts"
import {
  invalidRow,
  isExcludedBy,
  isInvalidBy,
  isOutcome,
  outcomeColumn,
  reasonColumn
} from "../words/ResultWords.ts"

const empty = "it is empty"

const correctCell = "correct the cell"

/** What somebody may mean, but seldom: in a text, and in a sender or a time, which no template fills. */
const doubts: Record<Doubtful["why"], string> = {
  misread: "characters such as Ã¼ for ü, because its UTF-8 was read as another encoding",
  "no-time": "no digit, so it is no time",
  "no-value": "the word undefined, which a program writes for no value",
  placeholder: "a placeholder such as {name} or [name] that is not filled",
  "spreadsheet-error": "an error of a spreadsheet"
}

const misread = `it has ${doubts.misread}: open the original file as UTF-8, save it as CSV UTF-8, and give that file, or ${correctCell}`

const doubtInText = (why: Doubtful["why"], isUnfilled: boolean): string => {
  if (why === "misread") return misread
  const correct =
    why === "placeholder" ? "give --template, which fills {name} from columns" : correctCell
  const orKeep = isUnfilled ? "rename the column" : "--template '{message}'"
  return `it has ${doubts[why]}: ${correct}, or ${orKeep} if it belongs to the text`
}

const unfilledCell = `it has ${doubts.placeholder}: write it in --template, which fills nothing in a cell, or ${correctCell}`

const unmeantProblems: Record<Unmeant, string> = {
  "control-character": "it has a control character, which no phone shows: remove it",
  invisible: "it has no visible character",
  markup: "it has the tag <parameter>, with which an assistant begins or ends a value: remove it",
  "no-value": `it is a word of programs for no value: ${correctCell}`,
  object: `it has [object …], which a program writes for what is no text: ${correctCell}`,
  placeholder:
    "it has a placeholder such as {{name}} that is not filled: give --template, which fills texts from columns, or correct the cell",
  "spreadsheet-error": Recipient.spreadsheetError,
  unreadable: `it has �, which a program writes for a letter that it cannot read: save the original file as CSV UTF-8, and give that file, or ${correctCell}`
}

/** What is needed to make the requests of rows. */
interface Making {
  readonly template: Template | undefined
  /** Of all columns of the list, also of those that are ignored. */
  readonly isColumn: ReturnType<typeof namedBy>
}

const messageOf = (
  cells: Cells,
  { isColumn, template }: Making
): ReturnType<Template["render"]> => {
  for (const column of template?.columns ?? []) {
    const cell = cells.get(column) ?? ""
    const wrong = unmeantPart(cell)
    if (wrong !== undefined) return { column, problem: unmeantProblems[wrong] }
    if (hasUnfilled(cell, isColumn)) return { column, problem: unfilledCell }
    // The letters of the template are right.
    if (doubtfulIn("message", cell).some(({ why }) => why === "misread")) {
      return { column, problem: misread }
    }
  }
  if (template !== undefined) return template.render(cells)
  const text = cells.get("message")
  return text === undefined ? { column: "message", problem: empty } : { text }
}

/** A value that nobody can mean, or that no journal can store. */
const wrongValue = (
  request: SendSmsRequest,
  key: string,
  { isColumn, template }: Making
): { readonly field: string; readonly problem: string } | undefined => {
  for (const field of ["message", "sender_id", "scheduled_time"] as const) {
    const value = request[field]
    const wrong = value === undefined ? undefined : unmeant(value)
    if (wrong !== undefined) return { field, problem: unmeantProblems[wrong] }
    // Who gives a template has seen that it makes the texts.
    const isMade = field === "message" && template !== undefined
    const [doubt] = isMade || value === undefined ? [] : doubtfulIn(field, value, isColumn)
    if (value === undefined || doubt === undefined) continue
    const problem =
      field === "message"
        ? doubtInText(doubt.why, hasUnfilled(value, isColumn))
        : `it has ${doubts[doubt.why]}: ${correctCell}`
    return { field, problem }
  }
  return Result.getOrUndefined(Result.flip(readSend("sendMany", key, request)))
}

const requestOf = (raw: RawRow, making: Making): InvalidRow | SendSmsRequest => {
  const { cells } = raw
  if (raw.problem !== undefined) return invalid(raw, raw.problem)
  const { number: recipient, problem } = Recipient.read(cells.get("recipient") ?? "")
  if (recipient === "") return invalid(raw, empty, "recipient")
  const message = messageOf(cells, making)
  if ("problem" in message) return invalid(raw, message.problem, message.column)
  const given: Record<string, string> = {}
  for (const field of fields) {
    const text = cells.get(field)
    if (text !== undefined) given[field] = text
  }
  const request = { ...given, recipient, message: message.text }
  // A key that is made can be stored.
  const wrong = wrongValue(request, cells.get("key") ?? "made", making)
  if (wrong !== undefined) return invalid(raw, wrong.problem, wrong.field)
  return problem === undefined ? request : invalid(raw, problem, "recipient")
}

export interface ReadOptions extends ColumnOptions {
  /** Makes the key of a row of a file that has none. It must be keyed: a plain hash of a number can be guessed. */
  readonly keyOf: (parts: ReadonlyArray<string>) => string
  /** Default: numbers stay as they are. */
  readonly normalize?: Recipient.Normalize | undefined
  /** Whether the stop list has a number. Default: there is none. */
  readonly isExcluded?: StopList["has"] | undefined
  /** Whether several rows may have the same recipient. */
  readonly allowRepeats: boolean
  /** Of a file that `results` wrote: only rows with this outcome. */
  readonly outcome?: string | undefined
  /** Sends them to this number instead. */
  readonly to?: string | undefined
}

const noKey = `${empty}: give each row a key of its own`

const secondOfKey = (first: number): string =>
  `the row of line ${first} has this key: give each row a key of its own`

export const secondToRecipient = (first: number): string =>
  `the row of line ${first} has this recipient: remove one, or give --allow-repeats to send both`

/** Returns the checks of one file, which remember its rows. */
const make = (options: ReadOptions, { header, names }: Pick<Sheet, "header" | "names">) => {
  const { allowRepeats, isExcluded, keyOf, normalize, template, to } = options
  const making = { template, isColumn: namedBy(header) }
  const hasKeys = names.has("key")
  const repeats = Digests.make()
  const keys = Digests.make()
  const recipients = Digests.make()

  /** Of the number as it goes out, because a spreadsheet removes the 0 that --country reads. A campaign keeps its --country. */
  const madeKey = (request: SendSmsRequest, sent: string): string => {
    const parts = partsOf(request, { ...sameForms, recipient: () => `+${sent}` })
    const key = keyOf(["row", ...parts])
    // Equal rows are several SMS: the key has which of them this is.
    const occurrence = allowRepeats ? repeats.count(...parts) : 1
    return occurrence === 1 ? key : `${key}-${occurrence}`
  }

  /** An invalid row has its key, too: a later row with it is a second one. */
  const check = (raw: RawRow, ownKey: string | undefined, firstOfKey: number): FileRow => {
    const { given, line } = raw
    const request = requestOf(raw, making)
    if ("_tag" in request) return request
    const sent = Recipient.numberOf(request.recipient, normalize)
    if ("problem" in sent) return invalid(raw, sent.problem, "recipient")
    const recipient = sent.number
    if (ownKey === undefined && hasKeys) return invalid(raw, noKey, "key")
    const sameNumber = Phone.sameForm(recipient)
    const firstToRecipient = recipients.firstLine(line, sameNumber)
    const isExcludedRow =
      isExcluded?.(recipient, sent.other ?? recipient, request.recipient) === true
    if (firstOfKey !== line || (firstToRecipient !== line && !allowRepeats)) {
      if (isExcludedRow) return { _tag: "ExcludedRow", line, given }
      return firstOfKey === line
        ? invalid(raw, secondToRecipient(firstToRecipient), "recipient")
        : invalid(raw, secondOfKey(firstOfKey), "key")
    }
    const row = {
      key: ownKey ?? madeKey(request, sameNumber),
      request: { ...request, recipient: to ?? recipient }
    }
    return isExcludedRow
      ? { _tag: "ExcludedRow", line, given, row }
      : { _tag: "Row", line, given, row, firstToRecipient }
  }

  return (found: InvalidRow | RawRow): FileRow => {
    const { line } = found
    const key = found._tag === "RawRow" ? found.cells.get("key") : found.key
    const firstOfKey = key === undefined ? line : keys.firstLine(line, key)
    const row = found._tag === "RawRow" ? check(found, key, firstOfKey) : found
    if (row._tag !== "InvalidRow") return row
    const { key: _, ...withoutKey } = row
    const isOwn = key !== undefined && firstOfKey === line && Result.isSuccess(checkName(key))
    return isOwn ? { ...withoutKey, key } : withoutKey
  }
}

/** The rows that an option chooses of a file that `results` wrote, and how many others there are, by their outcomes. */
export interface Chosen {
  readonly outcome: string
  /** Those without an outcome, or with one that `results` does not write, are `other`. */
  readonly leftOut: ReadonlyMap<string, number>
}

/** By which outcome a row of `results` is chosen. */
const outcomeIn = (cells: Cells): string =>
  isInvalidBy(cells.get(reasonColumn)) ? invalidRow : (cells.get(outcomeColumn) ?? "")

/** Reads the file once more. */
export const chosen = Effect.fnUntraced(function* (
  { rows: inSheet }: Pick<Sheet, "rows">,
  outcome: string
): Effect.fn.Return<Chosen, InputError> {
  const leftOut = new Map<string, number>()
  const countRow = (row: InvalidRow | RawRow) => {
    const found = row._tag === "InvalidRow" ? outcome : outcomeIn(row.cells)
    if (found === outcome) return
    const word = isOutcome(found) ? found : "other"
    leftOut.set(word, (leftOut.get(word) ?? 0) + 1)
  }
  yield* Stream.runForEachArray(inSheet, (some) => Effect.sync(() => some.forEach(countRow)))
  return { outcome, leftOut }
})

/** Each run of the stream begins with the first row. */
export const rows = (
  sheet: Pick<Sheet, "header" | "names" | "rows">,
  options: ReadOptions
): Stream.Stream<FileRow, InputError> =>
  Stream.suspend(() => {
    const { rows: inSheet } = sheet
    const check = make(options, sheet)
    const { outcome } = options
    if (outcome === undefined) {
      return Stream.map(inSheet, check)
    }
    return inSheet.pipe(
      Stream.filter((row) => row._tag === "InvalidRow" || outcomeIn(row.cells) === outcome),
      Stream.map((row) => {
        if (row._tag === "InvalidRow") return check(row)
        const { cells, given, line } = row
        // Who was excluded gets nothing later, either.
        return isExcludedBy(cells.get(reasonColumn))
          ? { _tag: "ExcludedRow", line, given }
          : check(row)
      })
    )
  })
