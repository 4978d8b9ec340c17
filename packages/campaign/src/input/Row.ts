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

export const isColumn = (name: string): name is Column => names.has(name)

/** Quotes and shortens the name of a column for an error. */
export const quoted = (name: string): string =>
  JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name)

export interface ColumnOptions {
  /** Whether unknown columns are left out. Otherwise they are an error. */
  readonly ignoreColumns: boolean
}

/** The cells of a row. Missing columns and empty cells are left out. */
export type Cells = Readonly<Partial<Record<Column, string>>>

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
}

/** A row that can be sent. */
export interface ReadRow {
  readonly _tag: "Row"
  readonly line: number
  readonly row: NewRow
  /** Whether an earlier row has the same recipient and text. */
  readonly isRepeated: boolean
  /** Whether an earlier row has the same key and content: both are one SMS. */
  readonly isSameKey: boolean
  /** Whether the number was changed to E.164. */
  readonly isNormalized: boolean
}

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
