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

/** Waiting does not help against these, once the journal is open. */
const lasting: ReadonlyArray<JournalProblem> = ["corrupt", "failed-over"]

/** Later, waiting helps: a database can be a standby for some seconds. */
const atFirst: ReadonlyArray<JournalProblem> = [...lasting, "read-only", "read-only-folder"]

const mayHeal =
  (wasWritten: boolean) =>
  (error: unknown): error is JournalError =>
    error instanceof JournalLocked ||
    (error instanceof JournalUnavailable &&
      !(wasWritten ? lasting : atFirst).includes(error.problem))

/**
 * Retries as long as the journal may come back, so that no outcome is lost. `wasWritten` says whether this run has
 * written to it before.
 */
export const waitForJournal = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  emit: (event: SendManyEvent) => Effect.Effect<void>,
  wasWritten = true
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let isLost = false
    const heals = mayHeal(wasWritten)
    return effect.pipe(
      Effect.tapError((error) => {
        if (isLost || !heals(error)) return Effect.void
        isLost = true
        return emit({ _tag: "JournalLost", error })
      }),
      Effect.retry({ while: heals, schedule: Schedule.spaced("1 second") }),
      Effect.tap(() => (isLost ? emit({ _tag: "JournalBack" }) : Effect.void))
    )
  })
