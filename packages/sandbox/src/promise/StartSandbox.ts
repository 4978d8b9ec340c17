/** Starts a sandbox in this process, for tests with promises. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as RunSandbox from "../server/RunSandbox.ts"
import type { SandboxHandle, StartOptions } from "./Types.ts"

export type * from "./Types.ts"

/** Throws the failure with the stack of the caller: an effect runs on its own stack. */
// @effect-diagnostics-next-line asyncFunction:off -- only `await` leaves the caller on the stack
const run = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Cause.squash(exit.cause)
  if (failure instanceof Error) Error.captureStackTrace?.(failure, run)
  throw failure
}

const start = Effect.fnUntraced(function* (options: StartOptions) {
  const scope = yield* Scope.make()
  const service = yield* RunSandbox.onServer(options).pipe(
    Scope.provide(scope),
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
  )
  const { baseUrl, clearFault, messages, requests, reset, setFault, setStatus, token, until } =
    service
  const close = () => run(Scope.close(scope, Exit.void))

  const handle: SandboxHandle = {
    baseUrl,
    token: Redacted.value(token),
    messages: (filter) => run(messages(filter)),
    requests: () => run(requests()),
    until: (ready) => run(until(ready)),
    setFault: (fault) => run(setFault(fault)),
    clearFault: () => run(clearFault),
    setStatus: (messageId, status) => run(setStatus(messageId, status)),
    reset: () => run(reset),
    close,
    [Symbol.asyncDispose]: close
  }
  return handle
})

/** Starts a sandbox on a real port. Rejects with `SandboxError`. */
export const startSandbox = (options: StartOptions = {}): Promise<SandboxHandle> =>
  run(start(options))
