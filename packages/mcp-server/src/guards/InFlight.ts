/**
 * The sends that are on their way at this moment, so that a server does not stop under one.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type { Refusal } from "../Refusal.ts"
import { stopped } from "./Refusals.ts"

export class InFlight extends Context.Service<
  InFlight,
  {
    readonly track: <A, E, R>(send: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Refusal, R>
    /** Lets no further send start, and completes when the last one ended. */
    readonly drain: Effect.Effect<void>
  }
>()("@messaging-topup/mcp-server/guards/InFlight") {
  static readonly layer: Layer.Layer<InFlight> = Layer.sync(InFlight, () => {
    let count = 0
    let stopping = false
    const idle = Latch.makeUnsafe(true)
    const start = Effect.suspend(() => {
      if (stopping) return Effect.fail(stopped)
      count++
      idle.closeUnsafe()
      return Effect.void
    })
    const end = Effect.sync(() => {
      count--
      if (count === 0) idle.openUnsafe()
    })
    const stop = Effect.sync(() => {
      stopping = true
    })
    return {
      track: (send) =>
        Effect.acquireUseRelease(
          start,
          () => send,
          () => end
        ),
      drain: Effect.andThen(stop, idle.await)
    }
  })
}
