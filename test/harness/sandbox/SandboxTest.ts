import { it } from "@effect/vitest"
import { type ListenFailed, Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"

/** A test with its own sandbox, on a real socket. */
export const sandboxTest = <A, E>(name: string, body: Effect.Effect<A, E, Sandbox>) =>
  it.live(name, (): Effect.Effect<A, E | ListenFailed> => Effect.provide(body, Sandbox.layer()))
