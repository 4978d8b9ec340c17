/**
 * What the sandbox remembers of the requests it got.
 *
 * @since 0.1.0
 */
import type { SendSmsRequest } from "@messaging-topup/core"

/**
 * An SMS that counts as accepted: the fields of the request, and the id it was given.
 *
 * @since 0.1.0
 */
export interface AcceptedSms extends SendSmsRequest {
  readonly message_id: string
}

/**
 * One HTTP request, as it arrived.
 *
 * @since 0.1.0
 */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query, as they were on the wire: nothing is decoded or normalised. */
  readonly url: string
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** As UTF-8, at most its first MiB. What has arrived so far, where the client left in the middle. */
  readonly body: string
  /** Whether the client went away before the response was complete. */
  readonly disconnected: boolean
}
