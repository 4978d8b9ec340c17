/**
 * Sets the wall clock of this process forward, so that tests do not have to wait.
 *
 * Timers are not affected.
 */
import * as Duration from "effect/Duration"

const realNow = Date.now

let shiftMillis = 0

export const passTime = (time: Duration.Input): void => {
  shiftMillis += Duration.toMillis(time)
  Date.now = () => realNow() + shiftMillis
}

/** Resets the clock to the real time. */
export const resetTime = (): void => {
  shiftMillis = 0
  Date.now = realNow
}
