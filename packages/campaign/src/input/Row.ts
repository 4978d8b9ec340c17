/**
 * The rows of a file: raw, invalid, or ready to send.
 */
import { SendSmsRequest } from "@messaging-topup/core"
import type { NewRow } from "@messaging-topup/journal"
import * as Struct from "effect/Struct"

/** The fields of a request, in the order of the service description. */
export const fields = Struct.keys(SendSmsRequest.fields)

/** The columns of a file. */
export const columns = [...fields, "key"] as const

export type Column = (typeof columns)[number]

const names: ReadonlySet<string> = new Set(columns)

/** Headers have names in any case, with blanks around them. */
export const nameOf = (cell: string): string => cell.trim().toLowerCase()

export const isColumn = (name: string): name is Column => names.has(name)

/** The cells of a row by the names of their columns. Empty cells are left out. */
export type Cells = ReadonlyMap<string, string>

export interface RawRow {
  readonly _tag: "RawRow"
  /** The line on which the row begins, from 1, with the header. */
  readonly line: number
  readonly cells: Cells
}

/** A row that cannot be sent. It does not stop the other rows. */
export interface InvalidRow {
  readonly _tag: "InvalidRow"
  readonly line: number
  readonly field?: string
  readonly problem: string
  /** Whether the problem is that an earlier row has the same recipient. */
  readonly isSecondToRecipient?: boolean
}

/** A row that is not sent because somebody asked for that. */
export interface SkippedRow {
  readonly _tag: "SkippedRow"
  readonly line: number
  readonly reason: "excluded" | "over-limit"
}

/** A row that can be sent. */
export interface ReadRow {
  readonly _tag: "Row"
  readonly line: number
  readonly row: NewRow
  /** Whether an earlier row has the same recipient and text. */
  readonly isRepeated: boolean
  /** Whether an earlier row has the same recipient. */
  readonly isSecondToRecipient: boolean
  /** Whether an earlier row has the same key and content: both are one SMS. */
  readonly isSameKey: boolean
  /** Whether the number was changed to E.164. */
  readonly isNormalized: boolean
}

export type FileRow = InvalidRow | ReadRow | SkippedRow

export const invalid = (line: number, problem: string, field?: string): InvalidRow => ({
  _tag: "InvalidRow",
  line,
  ...(field === undefined ? {} : { field }),
  problem
})

/** Maximum bytes of a row. It bounds the memory that one row can take. */
export const rowLimit = 1024 * 1024

export const tooLong = "is longer than 1 MiB"

export const notUtf8 = "it is not UTF-8: save the file as UTF-8"
