/** Starts a sandbox in this process, for tests with promises. */
import "@messaging-topup/core/internal/node"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Start from "./server/Start.ts"
import type {
  Kept,
  MessageFilter,
  SandboxFault,
  StartOptions,
  StoredMessage,
  StoredRequest
} from "./Types.ts"

export type { Kept, MessageFilter, SandboxFault, StartOptions, StoredMessage, StoredRequest }

/** A running sandbox. Its functions reject with `SandboxError`. */
export interface SandboxHandle extends AsyncDisposable {
  /** The address, without a slash at the end. */
  readonly baseUrl: string
  /** The access token that it accepts. */
  readonly token: string
  /** Returns the kept messages that match the whole filter, newest first. */
  readonly messages: (filter?: MessageFilter) => Promise<ReadonlyArray<StoredMessage>>
  /** Returns the kept requests to the five endpoints, newest first. */
  readonly requests: () => Promise<ReadonlyArray<StoredRequest>>
  /** Waits until `ready` says true of what is kept, and returns it. */
  readonly until: (ready: (kept: Kept) => boolean) => Promise<Kept>
  /** Sets the status, not empty, that every read of this message returns from now on. */
  readonly setStatus: (messageId: string, status: string) => Promise<StoredMessage>
  /** Applies the fault to the requests from now on. It replaces any other fault. */
  readonly setFault: (fault: SandboxFault) => Promise<void>
  /** Clears the fault. */
  readonly clearFault: () => Promise<void>
  /** Deletes the messages and the requests, and clears the fault. */
  readonly reset: () => Promise<void>
  /** Stops listening and closes every connection. `await using` does the same. */
  readonly close: () => Promise<void>
}

/**
 * The errors that `startSandbox` and the functions of a sandbox reject with.
 *
 * - `InvalidInput`: an option, a filter, a fault or a status is invalid.
 * - `ListenFailed`: the sandbox cannot listen.
 * - `UnknownMessage`: there is no message with this id.
 * - `SandboxClosed`: the sandbox was closed while `until` waited.
 */
export interface SandboxError extends Error {
  readonly _tag: "InvalidInput" | "ListenFailed" | "UnknownMessage" | "SandboxClosed"
}

class SandboxClosed extends Data.TaggedError("SandboxClosed") {
  override get message(): string {
    return "The sandbox was closed, so what is waited for cannot happen"
  }
}

/** A copy, so that a program can change what it gets. */
const copied = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  run(Effect.map(effect, (value) => structuredClone(value)))

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
  const sandbox = yield* Start.onServer(options).pipe(
    Scope.provide(scope),
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
  )
  const closed = yield* Deferred.make<never, SandboxClosed>()
  yield* Scope.addFinalizer(scope, Deferred.fail(closed, new SandboxClosed()))
  const close = () => run(Scope.close(scope, Exit.void))

  const handle: SandboxHandle = {
    baseUrl: sandbox.baseUrl,
    token: Redacted.value(sandbox.token),
    messages: (filter) => copied(sandbox.messages(filter)),
    requests: () => copied(sandbox.requests()),
    until: (ready) => copied(Effect.raceFirst(sandbox.until(ready), Deferred.await(closed))),
    setStatus: (messageId, status) => copied(sandbox.setStatus(messageId, status)),
    setFault: (fault) => run(sandbox.setFault(fault)),
    clearFault: () => run(sandbox.clearFault),
    reset: () => run(sandbox.reset),
    close,
    [Symbol.asyncDispose]: close
  }
  return handle
})

/** Starts a sandbox on a real port. Rejects with `SandboxError`. */
export const startSandbox = (options: StartOptions = {}): Promise<SandboxHandle> =>
  run(start(options))
