/**
 * Sets the clocks of this process forward, so that tests do not have to wait.
 *
 * Timers are not affected.
 */
import * as Duration from "effect/Duration"

const realNow = Date.now

const realMonotonic = process.hrtime.bigint

/**
 * How long a person of the tests reads a question. What is decided faster counts as decided by the
 * client itself.
 */
export const readingTime: Duration.Input = "400 millis"

let shiftMillis = 0

/** By how much the wall clock was set, beside the time that passed. */
let setMillis = 0

/** When the time was stopped, by the monotonic clock. */
let stoppedAt: bigint | undefined

/** The time without the shift. */
let now = realNow

const apply = (): void => {
  Date.now = () => now() + shiftMillis + setMillis
  process.hrtime.bigint = () =>
    (stoppedAt ?? realMonotonic()) + BigInt(Math.round(shiftMillis * 1_000_000))
}

/** Sets the wall clock alone, forward or back. */
export const setClock = (by: Duration.Input | number): void => {
  setMillis += Duration.toMillis(by)
  apply()
}

export const passTime = (time: Duration.Input): void => {
  shiftMillis += Duration.toMillis(time)
  apply()
}

/** From here on, time passes only with `passTime`, however slow the machine is. */
export const stopTime = (): void => {
  const stopped = realNow()
  now = () => stopped
  stoppedAt = realMonotonic()
  apply()
}

/** Resets the clock to the real time. */
export const resetTime = (): void => {
  shiftMillis = 0
  setMillis = 0
  stoppedAt = undefined
  now = realNow
  Date.now = realNow
  process.hrtime.bigint = realMonotonic
}

/** Fifty seconds pass in one, until the end of the scope: what tries again for a while soon gives up. */
export const openFastTime = (): Disposable => {
  const timer = setInterval(() => passTime("500 millis"), 10)
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      resetTime()
    }
  }
}
