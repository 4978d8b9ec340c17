/**
 * Puts the rows of a campaign into the journal.
 *
 * @since 0.1.0
 */
import { InvalidInput } from "@messaging-topup/core"
import { type JournalError, type NewRow, RowConflict, SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** How many rows are read before they are written. */
const rowsPerAppend = 5_000

/** In the place of a row in its batch, its place in the stream. */
const placed = (start: number, error: InvalidInput | RowConflict) => {
  if (error._tag === "RowConflict") {
    const { field, index } = error
    return new RowConflict({ field, ...(index === undefined ? {} : { index: start + index }) })
  }
  const field = error.field.replace(
    /^rows\[(\d+)\]/,
    (_, index) => `rows[${start + Number(index)}]`
  )
  return new InvalidInput({ field, problem: error.problem })
}

/**
 * Puts the rows of a campaign into the journal, and sends nothing. Rows whose keys are known with the
 * same content are left as they are, so that a load may be repeated, and rows may be added. Memory does
 * not grow with their number. Returns how many were read.
 *
 * Errors: `InvalidInput` and `RowConflict` name the row by its place, beginning at 0, and the field; what
 * came before that row is in the journal, so correct it and load again.
 *
 * @since 0.1.0
 */
export const load = <E, R>(
  campaign: string,
  rows: Stream.Stream<NewRow, E, R>
): Effect.Effect<number, E | InvalidInput | JournalError | RowConflict, R | SendJournal> =>
  Effect.gen(function* () {
    const journal = yield* SendJournal
    let read = 0
    yield* rows.pipe(
      Stream.grouped(rowsPerAppend),
      Stream.runForEach((batch) =>
        journal.append(campaign, batch).pipe(
          Effect.catchTags({
            InvalidInput: (error) => Effect.fail(placed(read, error)),
            RowConflict: (error) => Effect.fail(placed(read, error))
          }),
          Effect.tap(() =>
            Effect.sync(() => {
              read += batch.length
            })
          )
        )
      )
    )
    return read
  })
