/**
 * A file that lists values of one column: one per line, or CSV with that column.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as CsvParser from "./CsvParser.ts"
import { InputError } from "./InputError.ts"
import type { Column } from "./Row.ts"
import type { Source } from "./Source.ts"

export interface Listed {
  readonly line: number
  readonly value: string
}

/** Empty values are left out. Fails at the first line that cannot be read, because it may matter. */
export const read = (
  { bytes, name }: Source,
  column: Column
): Stream.Stream<ReadonlyArray<Listed>, InputError> =>
  Stream.suspend(() => {
    const parser = CsvParser.make(name, { ignoreColumns: true, only: column })
    return Stream.concat(
      Stream.mapEffect(bytes, parser.push),
      Stream.fromEffect(Effect.suspend(() => parser.end))
    ).pipe(
      Stream.mapEffect(
        Effect.fnUntraced(function* (records) {
          const listed = new Array<Listed>()
          for (const record of records) {
            const { line } = record
            if (record._tag === "InvalidRow") {
              return yield* new InputError({
                file: name,
                line,
                problem: record.problem,
                isUsage: true
              })
            }
            const value = record.cells.get(column)
            if (value !== undefined) listed.push({ line, value })
          }
          return listed
        })
      )
    )
  })
