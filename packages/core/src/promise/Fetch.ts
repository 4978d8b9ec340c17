/**
 * The five operations as promises, on runtimes other than Node: the platform's `fetch`.
 *
 * @since 0.1.0
 */
import * as FetchWire from "../transport/FetchWire.ts"
import { type Connections, createClientOn } from "./Client.ts"
import type { CreateClientOptions, MessagingTopupClient } from "./Types.ts"

export type * from "./Types.ts"
export { isMessagingTopupError, isSendSmsRejection } from "./Client.ts"

const open = (): Connections => ({ wire: FetchWire.make(), close: () => Promise.resolve() })

/**
 * Creates a client that uses the platform's `fetch`.
 *
 * Throws `ConfigurationError` for an option that is missing, unsafe or unknown.
 *
 * @since 0.1.0
 */
export const createClient = (options: CreateClientOptions): MessagingTopupClient =>
  createClientOn(open, options)
