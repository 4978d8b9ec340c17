/**
 * A row as the file has it, and as it is sent.
 */
import type { NewRow } from "@messaging-topup/journal"

/** The columns, in the order of the service description; then the key. */
export const columns = [
  "recipient",
  "message",
  "sender_id",
  "webhook_url",
  "scheduled_time",
  "key"
] as const

export type Column = (typeof columns)[number]

const names: ReadonlySet<string> = new Set(columns)

export const isColumn = (name: string): name is Column => names.has(name)

/** The name of a column, as an error repeats it. */
export const quoted = (name: string): string =>
  JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name)

/** Columns that are not there, and cells that are empty, are left out. */
export type Cells = Readonly<Partial<Record<Column, string>>>

export interface RawRow {
  readonly _tag: "RawRow"
  /** At which it begins, from 1; the header counts. */
  readonly line: number
  readonly cells: Cells
}

/** A row that cannot be sent. The others can. */
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
  /** Whether an earlier row has its recipient and text. */
  readonly isRepeated: boolean
  /** Whether an earlier row has its key, and the same content: one SMS for both. */
  readonly isSameKey: boolean
  /** Whether its number was changed to E.164. */
  readonly isNormalized: boolean
}

export const invalid = (line: number, problem: string, field?: string): InvalidRow => ({
  _tag: "InvalidRow",
  line,
  ...(field === undefined ? {} : { field }),
  problem
})

/** Maximum bytes of a row: what one row can take of the memory. */
export const rowLimit = 1024 * 1024

export const tooLong = "is longer than 1 MiB"

export const notUtf8 = "it is not UTF-8: save the file as UTF-8"
