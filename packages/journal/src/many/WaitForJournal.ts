/** Waits while the journal is unavailable. */
import {
  type JournalError,
  JournalLocked,
  type JournalProblem,
  JournalUnavailable
} from "../model/Errors.ts"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { SendManyEvent } from "../model/Campaign.ts"

/** Waiting does not help against these. */
const lasting: ReadonlySet<JournalProblem> = new Set([
  "driver-missing",
  "corrupt",
  "foreign",
  "other-journal",
  "failed-over",
  "newer"
] as const)

const mayHeal = (error: unknown): error is JournalError =>
  error instanceof JournalLocked ||
  (error instanceof JournalUnavailable && !lasting.has(error.problem))

/** Retries as long as the journal may come back, so that no outcome is lost. */
export const waitForJournal = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  emit: (event: SendManyEvent) => Effect.Effect<void>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let isLost = false
    return effect.pipe(
      Effect.tapError((error) => {
        if (isLost || !mayHeal(error)) return Effect.void
        isLost = true
        return emit({ _tag: "JournalLost", error })
      }),
      Effect.retry({ while: mayHeal, schedule: Schedule.spaced("1 second") }),
      Effect.tap(() => (isLost ? emit({ _tag: "JournalBack" }) : Effect.void))
    )
  })
