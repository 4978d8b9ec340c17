/** Decides which fault the next request gets. */
import type { Changes } from "../record/Changes.ts"
import type { Fault, SandboxFault } from "../Types.ts"

export class FaultControl {
  #current: SandboxFault | undefined
  readonly #changes: Changes

  constructor(changes: Changes) {
    this.#changes = changes
  }

  /** The fault, and how many requests still get it. */
  get current(): SandboxFault | undefined {
    return this.#current
  }

  set(fault: SandboxFault | undefined): void {
    this.#current = fault
    this.#changes.bump()
  }

  /** Returns the fault for one request, and counts the request. */
  take(): Fault | undefined {
    const fault = this.#current
    if (fault?.times !== undefined) {
      this.set(fault.times > 1 ? { ...fault, times: fault.times - 1 } : undefined)
    }
    return fault
  }
}
