/** The five operations as promises, on runtimes other than Node: the platform's `fetch`. */
import { createClientOn, openFetch } from "./Client.ts"
import type { CreateClientOptions, MessagingTopupClient } from "./Types.ts"

export * from "../errors/ClientFailures.ts"
export * from "../errors/DocumentedErrors.ts"
export * from "../errors/PromiseFailures.ts"
export { isSafeToResend } from "../errors/Failure.ts"
export * from "./Types.ts"

/**
 * Creates a client that uses the platform's `fetch`, or the one of the options.
 *
 * Throws `ConfigurationError` for an option that is missing, unsafe or unknown.
 */
export const createClient = (options: CreateClientOptions): MessagingTopupClient =>
  createClientOn(openFetch, options)
