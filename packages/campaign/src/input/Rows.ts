/**
 * Reads and checks the rows of a file. The rows are not kept; memory grows only by the digests that find
 * duplicates.
 */
import * as Stream from "effect/Stream"
import * as Checks from "./Checks.ts"
import * as Csv from "./Csv.ts"
import type { InputError } from "./InputError.ts"
import type { FileRow } from "./Row.ts"
import type { Source } from "./Source.ts"
import { decoded, type Encoding } from "./Text.ts"

export interface ReadOptions extends Checks.CheckOptions, Csv.CsvOptions {}

/** Returns the rows in chunks. Each run of the stream reads the source from its beginning. */
export const rows = (
  source: Source,
  encoding: Encoding,
  options: ReadOptions
): Stream.Stream<ReadonlyArray<FileRow>, InputError> =>
  Stream.suspend(() => {
    const check = Checks.make(options)
    return Stream.map(Csv.records(source.name, decoded(source, encoding), options), (records) =>
      records.map((record) => (record._tag === "RawRow" ? check(record) : record))
    )
  })
