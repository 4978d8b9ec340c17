/**
 * Rows out of bytes, piece by piece.
 */
import type * as Effect from "effect/Effect"
import type { InputError } from "./InputError.ts"
import type { InvalidRow, RawRow } from "./Row.ts"

type Records = Effect.Effect<ReadonlyArray<InvalidRow | RawRow>, InputError>

export interface RecordParser {
  /** The rows that end in these bytes. */
  readonly push: (bytes: Uint8Array) => Records
  /** What was left. */
  readonly end: Records
}
