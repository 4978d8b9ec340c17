/**
 * Wakes all who wait for something to arrive. They may wait again, for the next one.
 */
import type * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

export class Arrivals {
  #next = Latch.makeUnsafe(false)

  /** Waits until the next `wake`. */
  get next(): Effect.Effect<void> {
    return this.#next.await
  }

  wake(): void {
    const last = this.#next
    this.#next = Latch.makeUnsafe(false)
    last.openUnsafe()
  }
}
