/**
 * How long the end waits for sends that are on their way.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** Longer than one request to the service takes by default, so that a send ends by itself. */
export const grace = Duration.seconds(40)

/** What follows an ended send up to its answer happens before this resumes. */
const answersAreWritten = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

export const drained = (drain: Effect.Effect<void>): Effect.Effect<void> =>
  drain.pipe(Effect.timeoutOption(grace), Effect.andThen(answersAreWritten))
