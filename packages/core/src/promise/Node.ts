/** The five operations as promises, on Node and Deno: undici, with its own connections. */
import "../NodeVersion.ts"
import * as Result from "effect/Result"
import { checkUndici, openConnections } from "../transport/UndiciConnections.ts"
import { undiciWire } from "../transport/UndiciWire.ts"
import {
  type ClientSettings,
  type Connections,
  createClientOn,
  exclude,
  openFetch
} from "./Client.ts"
import type { CreateClientOptions, MessagingTopupClient } from "./Types.ts"

export * from "../errors/ClientFailures.ts"
export * from "../errors/DocumentedErrors.ts"
export * from "../errors/PromiseFailures.ts"
export { isSafeToResend } from "../errors/Failure.ts"
export * from "./Types.ts"

const open = (settings: ClientSettings, options: object): Connections => {
  const { connections, dispatcher, fetch, userAgent } = settings
  if (fetch !== undefined) return openFetch(settings, options)
  if (dispatcher !== undefined) {
    exclude(options, ["connections"], "the dispatcher makes the connections")
    Result.getOrThrow(checkUndici(dispatcher))
    return { wire: undiciWire(dispatcher, userAgent), close: () => Promise.resolve() }
  }
  const opened = Result.getOrThrow(openConnections(connections))
  return { wire: undiciWire(opened, userAgent), close: () => opened.destroy() }
}

/**
 * Creates a client with its own connections, at most 100. Close it when you no longer need it. If Node's
 * own switch `NODE_USE_ENV_PROXY` is on, it uses the proxies of the environment.
 *
 * Throws `ConfigurationError` for an option that is missing, unsafe or unknown, on Bun, and with undici 6 or older.
 */
export const createClient = (options: CreateClientOptions): MessagingTopupClient =>
  createClientOn(open, options)
