/**
 * What may have left in one attempt on an `HttpClient` that a program can have wrapped: a wrapper may
 * call the service again, or another host, and the failure of one request says nothing of the others.
 */
import * as Context from "effect/Context"

export class Departures {
  /** Requests on our own wires that may have left. */
  onWires = 0
  /** Requests on other transports, which do not say how far they came. */
  elsewhere = 0

  /** Every client of Effect's asks this once for each request that it carries out. */
  readonly carryOut = (): boolean => {
    this.elsewhere++
    return true
  }
}

/** Those of the attempt in progress. */
export const CurrentDepartures = Context.Reference<Departures>(
  "@messaging-topup/core/internal/CurrentDepartures",
  { defaultValue: () => new Departures() }
)
