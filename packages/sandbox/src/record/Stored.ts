/**
 * The messages and requests that the sandbox keeps, as plain types: in a program, in the JSON of the
 * control endpoints and on the page.
 *
 * This file imports nothing, because the declarations of `startSandbox` refer to it.
 */

/**
 * An SMS that the sandbox accepted: the fields of the request as they were sent, and the fields
 * that the sandbox adds.
 */
export interface StoredMessage {
  /** Assigned by the sandbox. */
  readonly message_id: string
  readonly recipient: string
  readonly message: string
  readonly sender_id?: string
  /** The sandbox never calls it. */
  readonly webhook_url?: string
  /** The sandbox does not wait for it. */
  readonly scheduled_time?: string
  /** The name of the fault or the suffix of the forced outcome that its request got. */
  readonly fault?: string
  /** The status that the last read returned, or that was set since. */
  readonly status: string
  /** Time of acceptance, ISO 8601 in UTC. */
  readonly date_created: string
  /** Encoding and segments. */
  readonly preview: {
    /** UCS-2 if at least one character is not in GSM-7. */
    readonly encoding: "GSM-7" | "UCS-2"
    readonly segments: number
    /** Total units: a unit is a septet in GSM-7, a UTF-16 code unit in UCS-2. */
    readonly units: number
    readonly unitsPerSegment: number
    /** Units left in the last segment. */
    readonly remaining: number
    /** Characters that force UCS-2, in order of first appearance. */
    readonly ucs2Characters: ReadonlyArray<string>
  }
}

/** Selects the messages that match all of these filters. */
export interface MessageFilter {
  /** Text in the recipient, in any case; a space also matches a plus. */
  readonly recipient?: string
  /** Text in the message, in any case. */
  readonly text?: string
  /** Accepted at this time or later, ISO 8601. */
  readonly since?: string
  /** Accepted before this time, ISO 8601. */
  readonly until?: string
}

/** One request to the five endpoints. Requests to the control endpoints are not recorded. */
export interface StoredRequest {
  /** 1 for the first request; no number is used twice. */
  readonly id: number
  /** Time of arrival, ISO 8601 in UTC. */
  readonly time: string
  readonly method: string
  /**
   * Path and query, as they were on the wire; an access token of 16 characters or more is removed.
   */
  readonly path: string
  /** The first 64 KiB, as UTF-8; an access token of 16 characters or more is removed. */
  readonly body: string
  /** HTTP status; absent if no response was sent. */
  readonly status?: number
  /** Why the request was refused, at most 500 characters; absent if it was not. */
  readonly refusal?: string
  /** The name of the fault or the suffix of the forced outcome that the request got. */
  readonly fault?: string
  /** The id of the SMS, if one was accepted. */
  readonly message_id?: string
  /** Whether the client disconnected before the response was complete. */
  readonly disconnected: boolean
  /** Duration; absent while the request is in flight. */
  readonly milliseconds?: number
}

/** What the sandbox keeps, newest first. */
export interface Kept {
  readonly messages: ReadonlyArray<StoredMessage>
  readonly requests: ReadonlyArray<StoredRequest>
}
