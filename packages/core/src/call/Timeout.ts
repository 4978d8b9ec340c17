/**
 * Parses a time-out of a caller.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

export const timeoutAdvice = 'give a positive, finite duration, such as "30 seconds"'

export const parseTimeout = (input: Duration.Input): Option.Option<Duration.Duration> =>
  Option.filter(
    Duration.fromInput(input),
    (duration) => Duration.isFinite(duration) && Duration.isPositive(duration)
  )
