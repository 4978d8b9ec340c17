/** The five operations as promises, on runtimes other than Node: the platform's `fetch`. */
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
 * @example
 * ```ts
 * import { createClient } from "@messaging-topup/core/promise"
 *
 * const client = createClient({
 *   baseUrl: process.env["MESSAGING_TOPUP_BASE_URL"] ?? "https://api.example.com",
 *   token: process.env["MESSAGING_TOPUP_TOKEN"] ?? ""
 * })
 * const { data } = await client.sendSms({ recipient: "+15550100123", message: "Your code is 4711" })
 * console.log(data[0]?.recipient) // +15550100123
 * await client.close()
 * ```
 */
export const createClient = (options: CreateClientOptions): MessagingTopupClient =>
  createClientOn(openFetch, options)
