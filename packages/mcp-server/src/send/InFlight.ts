/** Tracks the sends in flight, so that the server does not stop before they end. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { notSent, Refusal } from "./Refusal.ts"

export const stopping = new Refusal({
  code: "stopping",
  ...notSent("this server is stopping"),
  next: "Call again when it runs again.",
  concernsAll: true
})

/** How long a shutdown waits for sends. It is longer than one request takes by default. */
const shutdownGrace = Duration.seconds(40)

/** More sends than can be in flight. */
const all = Number.MAX_SAFE_INTEGER

/** How long a call lasts, unless a person is asked: hosts give up on a call after 60 seconds. */
export const longestCall = Duration.seconds(50)

/** Resumes at the end of this turn of the event loop, when its results are written. */
export const endOfTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

export class InFlight extends Context.Service<
  InFlight,
  {
    readonly track: <A, E, R>(send: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Refusal, R>
    /** Refuses new sends, waits for those in flight, and then until the results are written. */
    readonly shutdown: Effect.Effect<void>
  }
>()("@messaging-topup/mcp-server/send/InFlight") {
  static readonly layer: Layer.Layer<InFlight> = Layer.sync(InFlight, () => {
    let isStopping = false
    const admitted = Effect.suspend(() => (isStopping ? Effect.fail(stopping) : Effect.void))
    const inFlight = Semaphore.makeUnsafe(all)
    // Free as soon as no send is in flight.
    const idle = inFlight.withPermits(all)(Effect.void)
    return {
      track: (send) => Effect.andThen(admitted, inFlight.withPermit(send)),
      shutdown: Effect.suspend(() => {
        isStopping = true
        return idle.pipe(Effect.timeoutOption(shutdownGrace), Effect.andThen(endOfTurn))
      })
    }
  })
}
