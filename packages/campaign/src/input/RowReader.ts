/**
 * Reads and checks the rows of a file. The rows are not kept; memory grows only by the digests that find
 * duplicates.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Checks from "./Checks.ts"
import * as Csv from "./CsvParser.ts"
import type { InputError } from "./InputError.ts"
import * as Ndjson from "./NdjsonParser.ts"
import type { FileRow } from "./Row.ts"
import type { Source } from "./Source.ts"

export type Format = "csv" | "ndjson"

export interface ReadOptions extends Checks.CheckOptions, Csv.CsvOptions {
  readonly format: Format
}

/** Returns the rows in chunks. Each run of the stream reads the source from its beginning. */
export const rows = (
  { bytes, name }: Source,
  options: ReadOptions
): Stream.Stream<ReadonlyArray<FileRow>, InputError> =>
  Stream.suspend(() => {
    const { end, push } = options.format === "csv" ? Csv.make(name, options) : Ndjson.make(options)
    const check = Checks.make(options)
    return Stream.map(
      Stream.concat(Stream.mapEffect(bytes, push), Stream.fromEffect(Effect.suspend(() => end))),
      (records) => records.map((record) => (record._tag === "RawRow" ? check(record) : record))
    )
  })
