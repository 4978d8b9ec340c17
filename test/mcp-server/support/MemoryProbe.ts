/**
 * Loaded into a server under test: says how much memory is in use once the garbage is gone.
 */
import { setImmediate } from "node:timers/promises"

process.on("message", () => {
  const response = async () => {
    // What one collection finds weakly held, the next one takes.
    for (let round = 0; round < 3; round += 1) {
      globalThis.gc?.()
      await setImmediate()
    }
    process.send?.(process.memoryUsage())
  }
  void response()
})

// Only listening to the parent is no reason to stay.
process.channel?.unref()
