/**
 * Reports that a request starts.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/**
 * A callback that runs once for each attempt, when the first byte of its request is about to leave.
 * On a transport that does not report this (`fetch`, or a wrapped `HttpClient`), it runs when the
 * transport is called. It must not throw.
 *
 * A send that is cancelled before the first callback did not go out. After it, a program can let
 * the send end, to learn its outcome.
 *
 * @since 0.1.0
 */
export const OnRequestStart = Context.Reference<() => void>(
  "@messaging-topup/core/OnRequestStart",
  { defaultValue: () => () => {} }
)
