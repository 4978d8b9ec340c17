/** Whether a program has closed its journal: from then on no claim begins, and what has been claimed ends. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export const Closing = Context.Reference<{
  readonly isClosed: () => boolean
  /** Ends when it is closed. */
  readonly closed: Effect.Effect<void>
}>("@messaging-topup/journal/sends/Closing", {
  defaultValue: () => ({ isClosed: () => false, closed: Effect.never })
})

/** For what claims nothing: it is interrupted when the journal is closed. */
export const untilClosed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Closing, ({ closed }) =>
    Effect.raceFirst(effect, Effect.andThen(closed, Effect.interrupt))
  )
