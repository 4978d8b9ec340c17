/** Whether a program lets a request start. */
import * as Context from "effect/Context"

/**
 * Whether a request may start: a callback that runs once for each request, when its first byte is
 * about to leave. A transport that does not report this (`fetch`, or an `HttpClient`) runs it when it calls the
 * platform. It must not throw.
 *
 * If it returns `false`, the request does not start, and the call is interrupted. A send that is cancelled before
 * the first callback did not go out. After it, a program can let the send end, to learn its outcome.
 */
export const MayStart = Context.Reference<() => boolean>("@messaging-topup/core/MayStart", {
  defaultValue: () => () => true
})
