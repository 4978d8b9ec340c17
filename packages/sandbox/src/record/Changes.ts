/**
 * Counts the changes of a sandbox, so that anyone can wait for the next one.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

export class Changes {
  #version = 0
  #next = Latch.makeUnsafe(false)

  get version(): number {
    return this.#version
  }

  /** Call it after a change is complete: whoever waits continues at once. */
  bump(): void {
    const last = this.#next
    this.#version++
    this.#next = Latch.makeUnsafe(false)
    last.openUnsafe()
  }

  /** Waits until the version is another one: it may be that of an earlier sandbox. */
  after(version: number): Effect.Effect<void> {
    return Effect.suspend(() => (version === this.#version ? this.#next.await : Effect.void))
  }
}
