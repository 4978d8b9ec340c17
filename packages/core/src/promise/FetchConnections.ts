/**
 * The connections of a client that uses `fetch`: the platform's, or the program's own.
 */
import * as Predicate from "effect/Predicate"
import { ConfigurationError } from "../errors/ConfigurationError.ts"
import * as FetchWire from "../transport/FetchWire.ts"
import type { ConnectionOptions, Connections } from "./Client.ts"

/** Throws `ConfigurationError`. */
export const openFetch = ({ fetch, transport }: ConnectionOptions): Connections => {
  if (transport !== undefined) {
    const problem = "leave it out, because fetch makes the connections"
    throw new ConfigurationError({ setting: "transport", problem })
  }
  if (fetch !== undefined && !Predicate.isFunction(fetch)) {
    throw new ConfigurationError({ setting: "fetch", problem: "give a function, or leave it out" })
  }
  return { wire: FetchWire.make(fetch), close: () => Promise.resolve() }
}
