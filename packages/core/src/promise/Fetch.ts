/**
 * The five operations as promises, on runtimes other than Node: the platform's `fetch`.
 *
 * @since 0.1.0
 */
import { createClientOn } from "./Client.ts"
import { openFetch } from "./FetchConnections.ts"
import type { CreateClientOptions, MessagingTopupClient } from "./Types.ts"

export type * from "./Types.ts"
export { isMessagingTopupError, isSendSmsRejection } from "./Client.ts"

/**
 * Creates a client that uses the platform's `fetch`, or the one of the options.
 *
 * Throws `ConfigurationError` for an option that is missing, unsafe or unknown, and for `transport`.
 *
 * @since 0.1.0
 */
export const createClient = (options: CreateClientOptions): MessagingTopupClient =>
  createClientOn(openFetch, options)
