/**
 * Decides which fault the next request gets.
 */
import * as Effect from "effect/Effect"
import type { Fault, SandboxFault } from "./Fault.ts"

export interface FaultControl {
  readonly set: (fault: SandboxFault) => Effect.Effect<void>
  readonly clear: Effect.Effect<void>
  /** The fault, and how many requests still get it. */
  readonly current: Effect.Effect<SandboxFault | undefined>
  /** Returns the fault for one request, and counts the request. */
  readonly take: Effect.Effect<Fault | undefined>
}

export const make = (
  onChange: (current: SandboxFault | undefined) => void
): Effect.Effect<FaultControl> =>
  Effect.sync(() => {
    let current: SandboxFault | undefined

    const become = (next: SandboxFault | undefined) => {
      const isChange = next !== current
      current = next
      if (isChange) onChange(next)
    }

    return {
      set: (fault) => Effect.sync(() => become(fault)),
      clear: Effect.sync(() => become(undefined)),
      current: Effect.sync(() => current),
      take: Effect.sync(() => {
        const fault = current
        if (fault?.times !== undefined) {
          become(fault.times > 1 ? { ...fault, times: fault.times - 1 } : undefined)
        }
        return fault
      })
    }
  })
