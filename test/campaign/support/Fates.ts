/**
 * Rows that have become what a test wants them to be.
 */
import { SendJournal, type Settlement } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

/** Without an outcome, the request stays under way. */
export interface Fate extends Omit<Settlement, "id" | "outcome"> {
  readonly outcome?: "accepted" | "rejected" | "unknown"
  /** How long it takes until the row is settled. */
  readonly millis?: number
}

/** Settles the first pending rows of a campaign one after the other; those that are left stay pending. */
export const settleRows = Effect.fnUntraced(function* (
  campaign: string,
  fates: ReadonlyArray<Fate>
) {
  const journal = yield* SendJournal
  const left = [...fates]
  for (const slice of yield* journal.openSlices(campaign)) {
    const { attempt, rows } = yield* journal.begin(slice)
    for (const { id } of rows) {
      const fate = left.shift()
      if (fate === undefined) return
      const { millis = 0, outcome, ...said } = fate
      yield* journal.exchange(attempt, { settle: [], claim: [id] })
      if (millis > 0) yield* TestClock.adjust(millis)
      if (outcome !== undefined) {
        yield* journal.exchange(attempt, { settle: [{ id, outcome, ...said }], claim: [] })
      }
    }
    yield* journal.end(attempt)
  }
})
