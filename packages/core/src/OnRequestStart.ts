/**
 * When a request leaves.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/**
 * Called when the first byte of a request is about to leave, once for each attempt; on a transport
 * that does not say it (`fetch`, or a wrapped `HttpClient`), when the transport is called. It must not
 * throw.
 *
 * A program that cancels calls can cancel a send until then without asking whether it went out, and
 * let it end from then on, to learn its outcome.
 *
 * @since 0.1.0
 */
export const OnRequestStart = Context.Reference<() => void>(
  "@messaging-topup/core/OnRequestStart",
  { defaultValue: () => () => {} }
)
