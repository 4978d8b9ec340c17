/** Counts the changes of a sandbox, so that anyone can wait for the next one. */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

export class Changes {
  #version = 0
  #isWaking = false
  #next = Latch.makeUnsafe(false)

  get version(): number {
    return this.#version
  }

  bump(): void {
    this.#version++
    if (this.#isWaking) return
    this.#isWaking = true
    // Once a turn of the event loop, and after what the same request still changes.
    setImmediate(() => {
      const last = this.#next
      this.#isWaking = false
      this.#next = Latch.makeUnsafe(false)
      last.openUnsafe()
    })
  }

  /** Waits until the version is another one: it may be that of an earlier sandbox. */
  after(version: number): Effect.Effect<void> {
    return Effect.suspend(() => (version === this.#version ? this.#next.await : Effect.void))
  }
}
