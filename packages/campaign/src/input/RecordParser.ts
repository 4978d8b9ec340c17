/**
 * Parses rows from chunks of bytes.
 */
import type * as Effect from "effect/Effect"
import type { InputError } from "./InputError.ts"
import type { InvalidRow, RawRow } from "./Row.ts"

type Records = Effect.Effect<ReadonlyArray<InvalidRow | RawRow>, InputError>

export interface RecordParser {
  /** Adds a chunk. Returns the rows that end in it. */
  readonly push: (bytes: Uint8Array) => Records
  /** Ends the input. Returns the rows that are left. */
  readonly end: Records
}
