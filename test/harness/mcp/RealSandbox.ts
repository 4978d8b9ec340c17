/**
 * A sandbox on a real socket, for servers under test. It has a test clock, so that the test decides how
 * long a slow response takes.
 */
import { type Kept, Sandbox, type SandboxFault } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { setImmediate } from "node:timers/promises"

/** A recipient for which the sandbox responds only after `hurry`. */
export const slowRecipient = "+15550000901"

/** In turns of the event loop: a request that has arrived needs some until its delay begins. */
const turns = 50

/** The variables of an operator who lets all go out unasked. */
export const unasked = {
  MESSAGING_TOPUP_MCP_ALLOW_RECIPIENTS: "*",
  MESSAGING_TOPUP_MCP_CONFIRM: "off"
}

export const openSandbox = async (token?: string) => {
  const options = {
    // Tests count all requests.
    maxRequests: 1_000_000,
    ...(token === undefined ? {} : { token: Redacted.make(token) })
  }
  const runtime = ManagedRuntime.make(Layer.provideMerge(Sandbox.layer(options), TestClock.layer()))
  const sandbox = await runtime.runPromise(Effect.service(Sandbox))
  const env = {
    MESSAGING_TOPUP_BASE_URL: sandbox.baseUrl,
    MESSAGING_TOPUP_TOKEN: Redacted.value(sandbox.token)
  }
  return {
    /** The variables with which a server under test uses it. */
    env,
    /** And lets all go out unasked. */
    unasked: { ...env, ...unasked },
    messages: () => runtime.runPromise(sandbox.messages()),
    requests: () => runtime.runPromise(sandbox.requests()),
    until: (ready: (kept: Kept) => boolean) => runtime.runPromise(sandbox.until(ready)),
    setFault: (fault: SandboxFault) => runtime.runPromise(sandbox.setFault(fault)),
    clearFault: () => runtime.runPromise(sandbox.clearFault),
    /** Advances the clock, so that slow responses are sent. */
    hurry: async () => {
      for (let turn = 0; turn < turns; turn += 1) {
        await runtime.runPromise(TestClock.adjust("2 seconds"))
        await setImmediate()
      }
    },
    [Symbol.asyncDispose]: () => runtime.dispose()
  }
}

export type RealSandbox = Awaited<ReturnType<typeof openSandbox>>
