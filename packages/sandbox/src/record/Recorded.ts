/** What the sandbox records of the requests it receives. */
import type { SendSmsRequest } from "@messaging-topup/core"

/** An accepted SMS: the fields of the request, and the id that the sandbox assigned. */
export interface AcceptedSms extends SendSmsRequest {
  readonly message_id: string
}

/** One HTTP request, as it arrived. */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query as they were on the wire, neither decoded nor normalised. */
  readonly url: string
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The first MiB, as UTF-8. If the client disconnected, the bytes that had arrived. */
  readonly body: string
  /** Whether the client disconnected before the response was complete. */
  readonly disconnected: boolean
}
