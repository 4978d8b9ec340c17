/**
 * Sets the wall clock of this process forward, so that tests do not have to wait.
 *
 * Timers are not affected.
 */
import * as Duration from "effect/Duration"

const realNow = Date.now

/**
 * How long a person of the tests reads a question. What is decided faster counts as decided by the
 * client itself.
 */
export const readingTime: Duration.Input = "400 millis"

let shiftMillis = 0

/** The time without the shift. */
let now = realNow

const apply = (): void => {
  Date.now = () => now() + shiftMillis
}

export const passTime = (time: Duration.Input): void => {
  shiftMillis += Duration.toMillis(time)
  apply()
}

/** From here on, time passes only with `passTime`, however slow the machine is. */
export const stopTime = (): void => {
  const stoppedAt = realNow()
  now = () => stoppedAt
  apply()
}

/** Resets the clock to the real time. */
export const resetTime = (): void => {
  shiftMillis = 0
  now = realNow
  Date.now = realNow
}
