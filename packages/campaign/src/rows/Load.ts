/**
 * Puts the rows of a campaign into the journal.
 *
 * @since 0.1.0
 */
import type { InvalidInput } from "@messaging-topup/core"
import {
  type JournalError,
  type NewRow,
  RowConflict,
  RowRefused,
  SendJournal
} from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** How many rows are read before they are written, in one append. */
const rowsPerAppend = 5_000

/**
 * Puts the rows of a campaign into the journal, and sends nothing. Returns how many rows were read.
 *
 * A row whose key the journal has with the same content is skipped. So a load may be repeated, and rows
 * may be added later. Memory does not grow with the number of rows.
 *
 * Errors: `RowRefused` and `RowConflict` name the field and the position of the row, from 0. Earlier
 * rows may be in the journal already, so correct the row and load again.
 *
 * @since 0.1.0
 */
export const load = <E, R>(
  campaign: string,
  rows: Stream.Stream<NewRow, E, R>
): Effect.Effect<
  number,
  E | InvalidInput | JournalError | RowConflict | RowRefused,
  R | SendJournal
> =>
  Effect.gen(function* () {
    const journal = yield* SendJournal
    let read = 0
    yield* rows.pipe(
      Stream.grouped(rowsPerAppend),
      Stream.runForEach((batch) =>
        journal.append(campaign, batch).pipe(
          // The position of the row in its batch becomes its position in the stream.
          Effect.catchTags({
            RowConflict: ({ field, index = 0 }) =>
              Effect.fail(new RowConflict({ field, index: read + index })),
            RowRefused: ({ field, index, problem }) =>
              Effect.fail(new RowRefused({ field, index: read + index, problem }))
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
