/**
 * The types of `startSandbox`. They name no type of Effect.
 *
 * @since 0.1.0
 */

/**
 * The options of `startSandbox`. Every option has a default.
 *
 * @since 0.1.0
 */
export interface StartSandboxOptions {
  /** The port to listen on. Defaults to 0, which picks a free port. */
  readonly port?: number | undefined
  /**
   * The host to listen on. Defaults to `127.0.0.1`, which only this machine can reach. If other
   * machines can reach it, the control endpoints need the token.
   */
  readonly host?: string | undefined
  /** The access token to accept: visible ASCII characters. Defaults to a random one. */
  readonly token?: string | undefined
  /**
   * The maximum number of messages to keep. The oldest are deleted first, also when all take more
   * than 64 MiB. Defaults to 10,000.
   */
  readonly maxMessages?: number | undefined
  /**
   * The maximum number of requests to keep. The oldest are deleted first, also when all take more
   * than 64 MiB. Defaults to 1,000.
   */
  readonly maxRequests?: number | undefined
}

/**
 * The encoding and the segments of a message.
 *
 * @since 0.1.0
 */
export interface SmsPreview {
  /** UCS-2 if at least one character is not in GSM-7. */
  readonly encoding: "GSM-7" | "UCS-2"
  /** The number of segments. */
  readonly segments: number
  /** Total units: a unit is a septet in GSM-7, a UTF-16 code unit in UCS-2. */
  readonly units: number
  /** Units per segment. */
  readonly unitsPerSegment: number
  /** Units left in the last segment. */
  readonly remaining: number
  /** Characters that force UCS-2, in order of first appearance. */
  readonly ucs2Characters: ReadonlyArray<string>
}

/**
 * An SMS that the sandbox accepted: the fields of the request as they were sent, and the fields
 * that the sandbox adds.
 *
 * @since 0.1.0
 */
export interface StoredMessage {
  /** Assigned by the sandbox. */
  readonly message_id: string
  /** As it was sent. */
  readonly recipient: string
  /** Text, as it was sent. */
  readonly message: string
  /** As it was sent; absent if none was sent. */
  readonly sender_id?: string
  /** As it was sent; the sandbox never calls it. */
  readonly webhook_url?: string
  /** As it was sent; the sandbox does not wait for it. */
  readonly scheduled_time?: string
  /** The status that the last read returned, or that was set since. */
  readonly status: string
  /** Time of acceptance, ISO 8601 in UTC. */
  readonly date_created: string
  /** Encoding and segments. */
  readonly preview: SmsPreview
}

/**
 * Selects the messages that match all of these filters.
 *
 * @since 0.1.0
 */
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

/**
 * One request to the five endpoints.
 *
 * @since 0.1.0
 */
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

interface Timed {
  /** How many requests get the fault; if absent, all until it is cleared. */
  readonly times?: number
}

interface Plain<Name extends string> extends Timed {
  readonly fault: Name
}

/**
 * A fault for the next requests to the five endpoints, with any method except OPTIONS. "Accepts"
 * refers to `sendSms`: the SMS is among the messages, regardless of the response to the client.
 *
 * @since 0.1.0
 */
export type SandboxFault =
  /** Sends this response; accepts nothing. */
  | (Plain<"Response"> & {
      /** From 200 to 599. */
      readonly status: number
      /** Must be empty with 204, 205 and 304. */
      readonly body?: string
      /**
       * The content type defaults to `application/json`. Must not contain `content-length`,
       * `transfer-encoding` or `connection`.
       */
      readonly headers?: Readonly<Record<string, string>>
    })
  /** Redirects; accepts nothing. */
  | (Plain<"Redirect"> & {
      /** From 300 to 399. */
      readonly status: number
      readonly location: string
    })
  /** Accepts nothing and resets the connection. */
  | Plain<"ResetBeforeAcceptance">
  /** Accepts, then resets the connection before any response. */
  | Plain<"ResetAfterAcceptance">
  /** Never responds; accepts first if `accept` is true. */
  | (Plain<"NoResponse"> & { readonly accept?: boolean })
  /** Accepts, sends status and headers, then nothing more. */
  | Plain<"HeadersThenSilence">
  /** Accepts, then sends a body that never ends. */
  | Plain<"EndlessBody">
  /** Accepts and sends the correct body as `text/html`. */
  | Plain<"WrongContentType">
  /** Accepts and sends the first half of the correct body. */
  | Plain<"TruncatedJson">
  /** Accepts and sends the correct body, padded to this many bytes, at most 100 MiB. */
  | (Plain<"OversizedBody"> & { readonly bytes: number })
  /** Accepts, sends half of the announced body, then resets the connection. */
  | Plain<"BodyCutOff">
  /** Refuses connections until the fault is cleared. Not available over the control endpoints. */
  | { readonly fault: "ConnectionRefused" }

/**
 * A running sandbox.
 *
 * @since 0.1.0
 */
export interface SandboxHandle extends AsyncDisposable {
  /** The address, without a slash at the end. */
  readonly baseUrl: string
  /** The access token that it accepts. */
  readonly token: string
  /** Returns the kept messages that match the whole filter, newest first. */
  readonly messages: (filter?: MessageFilter) => Promise<ReadonlyArray<StoredMessage>>
  /** Returns the kept requests to the five endpoints, newest first. */
  readonly requests: () => Promise<ReadonlyArray<StoredRequest>>
  /** Applies the fault to the requests from now on. It replaces any other fault. */
  readonly setFault: (fault: SandboxFault) => Promise<void>
  /** Clears the fault. */
  readonly clearFault: () => Promise<void>
  /**
   * Sets the status that every read of this message returns from now on, until it is set again. It
   * must not be empty.
   */
  readonly setStatus: (messageId: string, status: string) => Promise<StoredMessage>
  /** Deletes the messages and the requests, and clears the fault. */
  readonly reset: () => Promise<void>
  /** Stops listening and closes every connection. `await using` does the same. */
  readonly close: () => Promise<void>
}

/**
 * The errors that `startSandbox` and the functions of a sandbox reject with.
 *
 * - `InvalidInput`: an option, a filter, a fault or a status is invalid.
 * - `SandboxStartError`: the sandbox cannot listen.
 * - `UnknownMessage`: there is no message with this id.
 *
 * @since 0.1.0
 */
export interface SandboxError extends Error {
  readonly _tag: "InvalidInput" | "SandboxStartError" | "UnknownMessage"
}
