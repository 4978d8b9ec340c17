/**
 * Loaded into a server under test: reports the memory in use after a garbage collection.
 */
import { setImmediate } from "node:timers/promises"

process.on("message", () => {
  const response = async () => {
    // What one collection finds weakly referenced is freed by the next one.
    for (let round = 0; round < 3; round += 1) {
      globalThis.gc?.()
      await setImmediate()
    }
    process.send?.(process.memoryUsage())
  }
  void response()
})

// The channel to the parent must not keep the process alive.
process.channel?.unref()
