/** The rows of a file: raw, invalid, or ready to send. */
import { Schemas } from "@messaging-topup/core"
import * as Struct from "effect/Struct"
import type { Row } from "@messaging-topup/journal"

/** The fields of a request, in the order of the service description. */
export const fields = Struct.keys(Schemas.SendSmsRequest.fields)

/** The columns of a file. */
export const columns = [...fields, "key"] as const

export type Column = (typeof columns)[number]

const names: ReadonlySet<string> = new Set(columns)

/** Headers have names in any case, with blanks around them, invisible characters in them, and marks apart from their letters. */
export const nameOf = (cell: string): string =>
  cell
    .replace(/\p{Cf}/gu, "")
    .normalize("NFC")
    .trim()
    .toLowerCase()

/** The letters and digits of a name: other programs write `First Name` as `[First_Name]`. */
export const simplified = (name: string): string => nameOf(name).replace(/[^\p{L}\p{M}\p{N}]/gu, "")

export const isColumn = (name: string): name is Column => names.has(name)

/** The cells of a row by the names of their columns. Empty cells are left out. */
export type Cells = ReadonlyMap<string, string>

interface InFile {
  /** The number of the row in a spreadsheet, from 1, with the header. */
  readonly line: number
  /** All cells of the row, as they are in the file. */
  readonly given: ReadonlyArray<string>
}

export interface RawRow extends InFile {
  readonly _tag: "RawRow"
  readonly cells: Cells
  /** Why it cannot be sent, whatever its cells have. */
  readonly problem?: string | undefined
}

/** A row that cannot be sent. It does not stop the other rows. */
export interface InvalidRow extends InFile {
  readonly _tag: "InvalidRow"
  readonly field?: string
  readonly problem: string
  /** Its own key: it may have been sent before it was changed, or by a program. Absent if it has none, or not for itself. */
  readonly key?: string
}

/** A row that is not sent because its recipient is on the stop list. */
export interface ExcludedRow extends InFile {
  readonly _tag: "ExcludedRow"
  /** As it would be sent, and may have been. Absent for a second row of a key or to a recipient. */
  readonly row?: Row | undefined
}

/** A row that can be sent. */
export interface ReadRow extends InFile {
  readonly _tag: "Row"
  readonly row: Row
  /** The line of the first row with the same recipient: this one, if there is no earlier one. */
  readonly firstToRecipient: number
}

export type FileRow = ExcludedRow | InvalidRow | ReadRow

export const invalid = ({ given, line }: InFile, problem: string, field?: string): InvalidRow => ({
  _tag: "InvalidRow",
  line,
  given,
  ...(field === undefined ? {} : { field }),
  problem
})

/** Maximum characters of a row. It bounds the memory that one row can take. */
export const rowLimit = 1024 * 1024
