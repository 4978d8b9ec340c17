/**
 * Decides which fault the next request gets.
 */
import * as Effect from "effect/Effect"
import type { Fault } from "./Fault.ts"

export interface SetFault {
  readonly fault: Fault
  /** How many requests still get the fault. */
  readonly remaining: number
}

export interface FaultControl {
  readonly set: (fault: Fault, times: number) => Effect.Effect<void>
  readonly clear: Effect.Effect<void>
  readonly current: Effect.Effect<SetFault | undefined>
  /** Returns the fault for one request, and counts the request. */
  readonly take: Effect.Effect<Fault | undefined>
  /** Whether connections are refused. */
  readonly refusing: Effect.Effect<boolean>
}

export const make = (
  onChange: (current: SetFault | undefined) => void
): Effect.Effect<FaultControl> =>
  Effect.sync(() => {
    let current: SetFault | undefined

    const become = (next: SetFault | undefined) => {
      const isChange = next !== current
      current = next
      if (isChange) onChange(next)
    }

    return {
      set: (fault, times) =>
        Effect.sync(() => become(times > 0 ? { fault, remaining: times } : undefined)),
      clear: Effect.sync(() => become(undefined)),
      current: Effect.sync(() => current),
      take: Effect.sync(() => {
        if (current === undefined) return undefined
        const { fault, remaining } = current
        if (remaining < Infinity) {
          become(remaining > 1 ? { fault, remaining: remaining - 1 } : undefined)
        }
        return fault
      }),
      refusing: Effect.sync(() => current?.fault._tag === "ConnectionRefused")
    }
  })
