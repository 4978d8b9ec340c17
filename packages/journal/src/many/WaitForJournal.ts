/** Waits while the journal is unavailable. */
import {
  isJournalGone,
  type JournalError,
  JournalLocked,
  type JournalProblem,
  JournalUnavailable
} from "../model/Errors.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { SendManyEvent } from "../model/Campaign.ts"
import { monotonicMillis, patienceMillis } from "./Pace.ts"

/** Waiting does not help against these. */
const lasting: ReadonlyArray<JournalProblem> = ["failed-over", "older-copy", "other-address"]

/** Later, waiting helps: a database can be a standby for some seconds. */
const atFirst: ReadonlyArray<JournalProblem> = [
  ...lasting,
  "corrupt",
  "no-right",
  "read-only",
  "read-only-folder",
  "standby"
]

const mayHeal =
  (wasWritten: boolean) =>
  (error: unknown): error is JournalError =>
    error instanceof JournalLocked ||
    (error instanceof JournalUnavailable &&
      !(wasWritten ? lasting : atFirst).includes(error.problem))

/** So long a run that was asked to end waits for the journal, once its requests have ended. */
const lastWait = "5 seconds"

interface Waiting {
  readonly emit: (event: SendManyEvent) => Effect.Effect<void>
  /** Whether a person sits there, who can put the journal's file back. */
  readonly isAttended: boolean
  /** Whether this run has written to it before. */
  readonly wasWritten: () => boolean
  /** Ends when the run was asked to end, and its requests have ended. */
  readonly asked: Effect.Effect<void>
}

/** Returns what retries as long as the journal may come back, so that no outcome is lost. */
export const make =
  ({ asked, emit, isAttended, wasWritten }: Waiting) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | JournalError, R> =>
    Effect.suspend(() => {
      let lost: JournalError | undefined
      let goneSince: number | undefined
      const heals = mayHeal(wasWritten())
      const isWorthIt = (error: E | JournalError) =>
        Effect.map(Clock.Clock, (clock) => {
          if (!heals(error)) return false
          if (isAttended || !isJournalGone(error)) goneSince = undefined
          else goneSince ??= monotonicMillis(clock)
          return goneSince === undefined || monotonicMillis(clock) - goneSince < patienceMillis
        })
      const waiting = effect.pipe(
        Effect.tapError((error) => {
          if (!heals(error)) return Effect.void
          const isNew = lost?.message !== error.message
          lost = error
          return isNew ? emit({ _tag: "JournalLost", error }) : Effect.void
        }),
        Effect.retry({ while: isWorthIt, schedule: Schedule.spaced("1 second") }),
        Effect.tap(() => (lost === undefined ? Effect.void : emit({ _tag: "JournalBack" })))
      )
      const givesUp = Effect.suspend(() =>
        Effect.fail(lost ?? new JournalLocked({ waitedSeconds: 5 }))
      )
      return Effect.raceFirst(
        waiting,
        Effect.andThen(asked, Effect.andThen(Effect.sleep(lastWait), givesUp))
      )
    })

export type WaitForJournal = ReturnType<typeof make>
