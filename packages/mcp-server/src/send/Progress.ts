/**
 * Reports of progress, for callers that want them.
 */
import * as Effect from "effect/Effect"
import type { Caller, Progress } from "./Caller.ts"

/** Not awaited: a client that reads slowly, or is gone, must not delay a send. */
export const report = ({ report: tell }: Caller, progress: Progress): Effect.Effect<void> =>
  tell === undefined
    ? Effect.void
    : tell(progress).pipe(
        Effect.ignore,
        Effect.forkDetach({ startImmediately: true }),
        Effect.asVoid
      )
