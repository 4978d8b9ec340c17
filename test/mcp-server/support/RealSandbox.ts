/**
 * A sandbox on a real socket, for servers under test.
 */
import { type Fault, Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import type { Environment } from "./RunningServer.ts"

export interface RealSandbox extends AsyncDisposable {
  /** What a server under test needs to use it. */
  readonly env: Environment
  readonly accepted: () => Promise<ReadonlyArray<unknown>>
  readonly awaitReceived: (count: number) => Promise<ReadonlyArray<unknown>>
  readonly nextDisconnect: () => Promise<unknown>
  readonly setFault: (fault: Fault) => Promise<void>
  readonly clearFault: () => Promise<void>
}

export const openSandbox = async (token = "sandbox-token"): Promise<RealSandbox> => {
  const runtime = ManagedRuntime.make(Sandbox.layer({ token: Redacted.make(token) }))
  const sandbox = await runtime.runPromise(Effect.service(Sandbox))
  return {
    env: { MESSAGING_TOPUP_BASE_URL: sandbox.baseUrl, MESSAGING_TOPUP_TOKEN: token },
    accepted: () => runtime.runPromise(sandbox.accepted),
    awaitReceived: (count) => runtime.runPromise(sandbox.awaitReceived(count)),
    nextDisconnect: () => runtime.runPromise(sandbox.nextDisconnect),
    setFault: (fault) => runtime.runPromise(sandbox.setFault(fault)),
    clearFault: () => runtime.runPromise(sandbox.clearFault),
    [Symbol.asyncDispose]: () => runtime.dispose()
  }
}
