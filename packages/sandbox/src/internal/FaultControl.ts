/**
 * Which fault the next request gets.
 */
import * as Effect from "effect/Effect"
import type { Fault } from "../Fault.ts"

export interface FaultControl {
  readonly set: (fault: Fault, times: number) => Effect.Effect<void>
  readonly clear: Effect.Effect<void>
  /** The fault of one more request, which counts. */
  readonly take: Effect.Effect<Fault | undefined>
  /** Whether no connection is taken at all. */
  readonly refusing: Effect.Effect<boolean>
}

export const make: Effect.Effect<FaultControl> = Effect.sync(() => {
  let current: { readonly fault: Fault; remaining: number } | undefined
  return {
    set: (fault, times) =>
      Effect.sync(() => {
        current = times > 0 ? { fault, remaining: times } : undefined
      }),
    clear: Effect.sync(() => {
      current = undefined
    }),
    take: Effect.sync(() => {
      if (current === undefined) return undefined
      const { fault } = current
      current.remaining--
      if (current.remaining <= 0) current = undefined
      return fault
    }),
    refusing: Effect.sync(() => current?.fault._tag === "ConnectionRefused")
  }
})
