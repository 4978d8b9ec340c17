/**
 * The types of `startSandbox`. They name no type of Effect.
 *
 * @since 0.1.0
 */

/**
 * How a sandbox starts. Every setting has a default.
 *
 * @since 0.1.0
 */
export interface StartSandboxOptions {
  /** Default: 0, which takes a free one. */
  readonly port?: number | undefined
  /**
   * Default: `127.0.0.1`, which only this machine can reach. Where other machines can reach it, the
   * control endpoints need the token.
   */
  readonly host?: string | undefined
  /** The access token that is accepted: visible ASCII characters. Default: a random one. */
  readonly token?: string | undefined
  /**
   * How many messages are kept: the newest ones, and fewer where they take more than 64 MiB. Default:
   * 10,000.
   */
  readonly maxMessages?: number | undefined
  /**
   * How many requests are kept: the newest ones, and fewer where they take more than 64 MiB. Default:
   * 1,000.
   */
  readonly maxRequests?: number | undefined
}

/**
 * What a message looks like on the air.
 *
 * @since 0.1.0
 */
export interface SmsPreview {
  /** UCS-2 as soon as one character is not in GSM-7. */
  readonly encoding: "GSM-7" | "UCS-2"
  /** Segments. */
  readonly segments: number
  /** Units in all: a septet in GSM-7, a UTF-16 code unit in UCS-2. */
  readonly units: number
  /** Units that a segment holds. */
  readonly unitsPerSegment: number
  /** Units that are free in the last segment. */
  readonly remaining: number
  /** Characters that force UCS-2, in order of first appearance. */
  readonly ucs2Characters: ReadonlyArray<string>
}

/**
 * An SMS that the sandbox accepted: the fields of the request as they were sent, and what the sandbox
 * made of them.
 *
 * @since 0.1.0
 */
export interface StoredMessage {
  /** Given by the sandbox. */
  readonly message_id: string
  /** As it was sent. */
  readonly recipient: string
  /** Text, as it was sent. */
  readonly message: string
  /** As it was sent; absent where none was. */
  readonly sender_id?: string
  /** As it was sent; the sandbox never calls it. */
  readonly webhook_url?: string
  /** As it was sent; the sandbox does not wait for it. */
  readonly scheduled_time?: string
  /** What the last read of the status returned, or what was set since. */
  readonly status: string
  /** When it was accepted, ISO 8601 in UTC. */
  readonly date_created: string
  /** Encoding and segments. */
  readonly preview: SmsPreview
}

/**
 * Which messages: all that match every filter that is given.
 *
 * @since 0.1.0
 */
export interface MessageFilter {
  /** Part of the recipient, in any case; a space stands for a plus, too. */
  readonly recipient?: string
  /** Part of the text, in any case. */
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
  /** 1 for the first one; none is given twice. */
  readonly id: number
  /** When it arrived, ISO 8601 in UTC. */
  readonly time: string
  readonly method: string
  /** Path and query, as they were on the wire; an access token of 16 characters or more is taken out. */
  readonly path: string
  /** As UTF-8; at most its first 64 KiB; an access token of 16 characters or more is taken out. */
  readonly body: string
  /** HTTP status; absent where no response was sent. */
  readonly status?: number
  /** Why it was refused; at most 500 characters; absent where it was not. */
  readonly refusal?: string
  /** What it got on purpose: the name of the fault, or the suffix of the forced outcome. */
  readonly fault?: string
  /** The SMS that was accepted. */
  readonly message_id?: string
  /** Whether the client left before the response was complete. */
  readonly disconnected: boolean
  /** From its start to its end; absent while it lasts. */
  readonly milliseconds?: number
}

interface Timed {
  /** How many requests get it; all until it is cleared where absent. */
  readonly times?: number
}

interface Plain<Name extends string> extends Timed {
  readonly fault: Name
}

/**
 * What goes wrong with the requests that come from now on: those whose path is one of the five
 * endpoints', with any method but OPTIONS. "Accepts" is said of `sendSms`: the SMS is
 * among the messages, whatever the client was told.
 *
 * @since 0.1.0
 */
export type SandboxFault =
  /** Responds with this; nothing is accepted. */
  | (Plain<"Response"> & {
      /** From 200 to 599. */
      readonly status: number
      /** 204, 205 and 304 have none. */
      readonly body?: string
      /**
       * The content type is `application/json` where they name no other. They cannot name
       * `content-length`, `transfer-encoding` and `connection`.
       */
      readonly headers?: Readonly<Record<string, string>>
    })
  /** Redirects; nothing is accepted. */
  | (Plain<"Redirect"> & {
      /** From 300 to 399. */
      readonly status: number
      readonly location: string
    })
  /** Accepts nothing and resets the connection. */
  | Plain<"ResetBeforeAcceptance">
  /** Accepts, then resets the connection before any response. */
  | Plain<"ResetAfterAcceptance">
  /** Is silent; accepts first where `accept` is true. */
  | (Plain<"NoResponse"> & { readonly accept?: boolean })
  /** Accepts, sends status and headers, then is silent. */
  | Plain<"HeadersThenSilence">
  /** Accepts, then sends a body without end. */
  | Plain<"EndlessBody">
  /** Accepts and sends the right body as `text/html`. */
  | Plain<"WrongContentType">
  /** Accepts and sends the first half of the right body. */
  | Plain<"TruncatedJson">
  /** Accepts and sends the right body, padded to this many bytes: at most 100 MiB. */
  | (Plain<"OversizedBody"> & { readonly bytes: number })
  /** Accepts, sends half of the announced body and resets the connection. */
  | Plain<"BodyCutOff">
  /** Takes no connection until the fault is cleared. The control endpoints do not have this one. */
  | { readonly fault: "ConnectionRefused" }

/**
 * A running sandbox.
 *
 * @since 0.1.0
 */
export interface SandboxHandle extends AsyncDisposable {
  /** Where it is, without a slash at the end. */
  readonly baseUrl: string
  /** The access token that it accepts. */
  readonly token: string
  /** The kept messages that match all of the filter, newest first. */
  readonly messages: (filter?: MessageFilter) => Promise<ReadonlyArray<StoredMessage>>
  /** The kept requests to the five endpoints, newest first. */
  readonly requests: () => Promise<ReadonlyArray<StoredRequest>>
  /** Applies the fault to the requests that come from now on, in place of any other. */
  readonly setFault: (fault: SandboxFault) => Promise<void>
  /** Ends the fault that is set. */
  readonly clearFault: () => Promise<void>
  /**
   * Sets what every read of this message returns from now on, until it is set again: any text but an
   * empty one.
   */
  readonly setStatus: (messageId: string, status: string) => Promise<StoredMessage>
  /** Forgets the messages, the requests and the fault. */
  readonly reset: () => Promise<void>
  /** Stops listening and closes every connection. `await using` does the same. */
  readonly close: () => Promise<void>
}

/**
 * What `startSandbox` and the functions of a sandbox reject with.
 *
 * - `InvalidInput`: a setting, a filter, a fault or a status is not as described.
 * - `SandboxStartError`: the sandbox cannot listen.
 * - `UnknownMessage`: there is no message with this id.
 *
 * @since 0.1.0
 */
export interface SandboxError extends Error {
  readonly _tag: "InvalidInput" | "SandboxStartError" | "UnknownMessage"
}
