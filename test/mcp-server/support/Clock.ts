/**
 * The wall clock of this process, which a test sets forward so that it does not have to wait.
 *
 * Timers stay as they are.
 */
import * as Duration from "effect/Duration"

const realNow = Date.now

let shiftMillis = 0

export const passTime = (time: Duration.Input): void => {
  shiftMillis += Duration.toMillis(time)
  Date.now = () => realNow() + shiftMillis
}

/** Sets the clock right again. */
export const resetTime = (): void => {
  shiftMillis = 0
  Date.now = realNow
}
