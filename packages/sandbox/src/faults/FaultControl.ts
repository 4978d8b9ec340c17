/** Decides which fault the next request gets. */
import type { Changes } from "../kept/Changes.ts"
import type { Fault, SandboxFault } from "../Types.ts"

/** Mulberry32: numbers from 0 to 1, the same ones for the same seed on every runtime. */
const drawsFrom = (seed: number) => {
  let state = seed | 0
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    const more = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((more ^ (more >>> 14)) >>> 0) / 2 ** 32
  }
}

export class FaultControl {
  #current: SandboxFault | undefined
  #draw = drawsFrom(0)
  readonly #changes: Changes

  constructor(changes: Changes) {
    this.#changes = changes
  }

  /** The fault, and how many requests still get it. */
  get current(): SandboxFault | undefined {
    return this.#current
  }

  set(fault: SandboxFault | undefined): void {
    this.#draw = drawsFrom(fault?.seed ?? 0)
    this.#replace(fault)
  }

  /** Returns the fault for one request, if its rate chooses this one, and counts the request. */
  take(): Fault | undefined {
    const fault = this.#current
    if (fault?.rate !== undefined && this.#draw() >= fault.rate) return undefined
    if (fault?.times !== undefined) {
      this.#replace(fault.times > 1 ? { ...fault, times: fault.times - 1 } : undefined)
    }
    return fault
  }

  #replace(fault: SandboxFault | undefined): void {
    this.#current = fault
    this.#changes.bump()
  }
}
