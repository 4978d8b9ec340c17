/**
 * Counts the requests that one attempt may have started.
 *
 * A program can wrap an `HttpClient` so that it calls the service again, or another host. The
 * failure of one request says nothing about the others.
 */
import * as Context from "effect/Context"

export class StartedRequests {
  /** Requests on our own wires that may have started. */
  onOurWires = 0
  /** Requests on other transports, which do not report whether a request started. */
  onOtherTransports = 0

  /** Every Effect client calls this once for each of its requests, to ask whether to trace it. */
  readonly count = (): boolean => {
    this.onOtherTransports++
    return true
  }
}

/** The requests that the current attempt started. */
export const CurrentStartedRequests = Context.Reference<StartedRequests>(
  "@messaging-topup/core/internal/CurrentStartedRequests",
  { defaultValue: () => new StartedRequests() }
)
