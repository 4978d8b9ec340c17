/**
 * What a statement returned, as what it means.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { JournalUnavailable } from "../errors/JournalUnavailable.ts"
import type { Result } from "./Database.ts"

/** An integer as a database hands it over: PostgreSQL's are of 64 bits, and ours fit in a number. */
export const Integer = Schema.Union([Schema.Int, Schema.BigInt]).pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({
      decode: (value: number | bigint) => Number(value),
      encode: (value): number | bigint => value
    })
  )
)

/** Decodes the rows of a result. What does not fit was not written by this package. */
export const rowsOf = <S extends Schema.ConstraintDecoder<unknown>>(row: S) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(row))
  return (result: Result): Effect.Effect<ReadonlyArray<S["Type"]>, JournalUnavailable> =>
    Effect.mapError(decode(result), () => new JournalUnavailable({ problem: "corrupt" }))
}
