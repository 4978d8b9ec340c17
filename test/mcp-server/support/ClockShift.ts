/**
 * Loaded before a server: the parent sets its wall clock forward, so that nobody has to wait.
 *
 * Timers stay as they are.
 */
const realNow = Date.now

let shift = 0

Date.now = () => realNow() + shift

process.on("message", (millis) => {
  shift += Number(millis)
  process.send?.(shift)
})

// The parent must not keep the server alive.
process.channel?.unref()
