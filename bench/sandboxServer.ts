/**
 * The sandbox in a process of its own.
 */
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const [, , token = ""] = process.argv

process.on("disconnect", () => process.exit(0))

await Effect.gen(function* () {
  const { baseUrl } = yield* Sandbox
  process.send?.({ port: Number(new URL(baseUrl).port) })
  return yield* Effect.never
}).pipe(Effect.provide(Sandbox.layer({ token: Redacted.make(token) })), Effect.runPromise)
