/**
 * Decodes the rows that a statement returned.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { JournalUnavailable } from "../errors/JournalUnavailable.ts"
import type { Result } from "./Database.ts"

/** PostgreSQL returns integers of 64 bits as bigint. The integers of the journal fit in a number. */
export const Integer = Schema.Union([Schema.Int, Schema.BigInt]).pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({
      decode: (value: number | bigint) => Number(value),
      encode: (value): number | bigint => value
    })
  )
)

/** A plain loop, because it runs for each row of a large campaign. */
const withoutNulls = (row: Result[number]): Result[number] => {
  const kept: Record<string, unknown> = {}
  for (const name in row) {
    const value = row[name]
    if (value !== null) kept[name] = value
  }
  return kept
}

/**
 * Returns a decoder of results. Columns that are null are left out. A row that does not match was not
 * written by this package. `nest` puts columns together.
 */
export const decoderOf = <S extends Schema.ConstraintDecoder<unknown>>(
  row: S,
  nest: (columns: Result[number]) => Result[number] = (columns) => columns
) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(row))
  return (result: Result): Effect.Effect<ReadonlyArray<S["Type"]>, JournalUnavailable> =>
    Effect.mapError(
      decode(result.map((columns) => nest(withoutNulls(columns)))),
      () => new JournalUnavailable({ problem: "corrupt" })
    )
}
