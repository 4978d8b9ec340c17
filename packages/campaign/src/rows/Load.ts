/** Puts the rows of a campaign into the journal. */
import type { InvalidInput } from "@messaging-topup/core"
import {
  CampaignJournal,
  type JournalError,
  type LoadSuperseded,
  type NewRow,
  RowConflict,
  RowRefused,
  SendJournal
} from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { rowsPerAppend } from "./Lookup.ts"

/** What a load fails with, besides the errors of its rows. */
export type LoadError = InvalidInput | JournalError | LoadSuperseded | RowConflict | RowRefused

/** Appends rows of a load. */
export type Append = (rows: ReadonlyArray<NewRow>) => Effect.Effect<void, LoadError>

/**
 * Runs a load: `use` appends rows, and they may be sent once it has succeeded. If it fails or is
 * interrupted, the load leaves nothing.
 */
export const inLoad = <A, E, R>(
  campaign: string,
  use: (append: Append) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | JournalError | LoadSuperseded, CampaignJournal | R | SendJournal> =>
  Effect.gen(function* () {
    const campaigns = yield* CampaignJournal
    const journal = yield* SendJournal
    const load = yield* campaigns.beginLoad(campaign)
    return yield* use((rows) => journal.append(campaign, rows, load)).pipe(
      Effect.tap(() => campaigns.endLoad(load)),
      Effect.onError(() => Effect.ignore(campaigns.abandonLoad(load)))
    )
  })

/**
 * Puts the rows of a campaign into the journal, and sends nothing. Returns how many rows were read.
 *
 * A row whose key the journal has with the same content is skipped. So a load may be repeated, and rows
 * may be added later. Memory does not grow with the number of rows. If the load fails, or its process
 * ends, none of its rows can be sent.
 *
 * Errors: `RowRefused` and `RowConflict` name the field and the position of the row, from 0: correct the
 * row and load again.
 */
export const load = <E, R>(
  campaign: string,
  rows: Stream.Stream<NewRow, E, R>
): Effect.Effect<number, E | LoadError, CampaignJournal | R | SendJournal> =>
  inLoad(campaign, (append) =>
    Effect.gen(function* () {
      let read = 0
      yield* rows.pipe(
        Stream.grouped(rowsPerAppend),
        Stream.runForEach((batch) =>
          append(batch).pipe(
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
  )
