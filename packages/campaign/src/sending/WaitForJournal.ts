/**
 * Waits while the journal is unavailable.
 */
import { type JournalError, JournalLocked, JournalUnavailable } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CampaignEvent } from "./CampaignEvent.ts"

const isJournalError = (error: unknown): error is JournalError =>
  error instanceof JournalUnavailable || error instanceof JournalLocked

const isOther = <E>(error: E): error is Exclude<E, JournalError> => !isJournalError(error)

/** Retries until the journal is available again, so that no outcome is lost. */
export const waitForJournal = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  emit: (event: CampaignEvent) => Effect.Effect<void>
): Effect.fn.Return<A, Exclude<E, JournalError>, R> {
  let isLost = false
  while (true) {
    const result = yield* Effect.result(effect)
    if (Result.isSuccess(result)) {
      if (isLost) yield* emit({ _tag: "JournalBack" })
      return result.success
    }
    const error = result.failure
    if (isOther(error)) return yield* Effect.fail(error)
    if (!isLost && isJournalError(error)) yield* emit({ _tag: "JournalLost", error })
    isLost = true
    yield* Effect.sleep("1 second")
  }
})
