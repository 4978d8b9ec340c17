/** Tells a client that its call goes on, if it gave a token for that. */
import type { ServerContext } from "@modelcontextprotocol/server"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** Many hosts give up on a silent call after 60 seconds, and wait anew when they hear of its progress. */
export const silence = Duration.seconds(15)

/** Hosts show it to the person. */
const messages = { asking: "Waiting for the person to decide", working: "Still working" } as const

export interface Progress {
  /** Runs a call, and tells of it until it ends. */
  readonly during: <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** A part of the call in which a person is asked. */
  readonly whileAsking: <A, E, R>(asking: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const make = ({ mcpReq }: ServerContext): Progress => {
  const progressToken = mcpReq._meta?.progressToken
  let stage: keyof typeof messages = "working"
  const set = (to: typeof stage) =>
    Effect.sync(() => {
      stage = to
    })
  const tell = Effect.gen(function* () {
    // In seconds: how much is left is not known, and some hosts show the number.
    for (let progress = 0; ;) {
      yield* Effect.sleep(silence)
      progress += Duration.toSeconds(silence)
      const params = { progressToken, progress, message: messages[stage] }
      // A client that is gone hears nothing.
      yield* Effect.ignore(
        Effect.tryPromise(() => mcpReq.notify({ method: "notifications/progress", params }))
      )
    }
  })
  return {
    // A child ends with its call.
    during: (call) =>
      progressToken === undefined ? call : Effect.andThen(Effect.forkChild(tell), call),
    whileAsking: (asking) => Effect.ensuring(Effect.andThen(set("asking"), asking), set("working"))
  }
}
