/**
 * Reads a file of rows without the command.
 */
import type { InputError } from "@messaging-topup/campaign/src/input/InputError.ts"
import * as RowReader from "@messaging-topup/campaign/src/input/RowReader.ts"
import * as Source from "@messaging-topup/campaign/src/input/Source.ts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Readable } from "node:stream"

type Options = Partial<RowReader.ReadOptions>

/** Returns the rows of a file that comes in pieces of a size; by default, in one. */
export const read = (
  content: Buffer | string,
  options: Options = {},
  size = Infinity
): Effect.Effect<ReadonlyArray<Row>, InputError> => {
  const bytes = Buffer.from(content)
  const count = Math.max(1, Math.ceil(bytes.length / size))
  const pieces = Array.from({ length: count }, (_, index) =>
    count === 1 ? bytes : bytes.subarray(index * size, (index + 1) * size)
  )
  const source = Source.stdin(Readable.from(pieces, { objectMode: false }))
  const rows = RowReader.rows(source, {
    format: "csv",
    allowRepeats: true,
    ignoreColumns: false,
    ...options
  })
  return Effect.map(Stream.runCollect(rows), (some) => some.flat().map(rowOf))
}

type Read = Stream.Success<ReturnType<typeof RowReader.rows>>[number]

interface Row {
  readonly line: number
  readonly recipient?: string
  readonly message?: string
  readonly field?: string | undefined
  readonly problem?: string
}

const rowOf = (row: Read): Row => {
  if (row._tag === "InvalidRow") {
    const { field, line, problem } = row
    return { line, ...(field === undefined ? {} : { field }), problem }
  }
  if (row._tag === "SkippedRow") return { line: row.line, problem: row.reason }
  const { message, recipient } = row.row.request
  return { line: row.line, recipient, message }
}
