/**
 * What the sandbox keeps and what it can be told, as plain types: in a program, in the JSON of the
 * control endpoints and on the page.
 *
 * This file imports nothing, because the declarations of `startSandbox` refer to it.
 */

interface Kinds {
  /**
   * Sends this status (200 to 599) and body; accepts nothing. Without `body`, a documented error status has the
   * documented error body. The content type defaults to `application/json`. `headers` must not contain
   * `content-length`, `transfer-encoding` or `connection`. With 204, 205 and 304, the body must be empty.
   */
  readonly Response: {
    readonly status: number
    readonly body?: string
    readonly headers?: Readonly<Record<string, string>>
  }
  /** Reads the request, accepts nothing and resets the connection. */
  readonly ResetBeforeAcceptance: {}
  /** Accepts, then resets the connection before any response. */
  readonly ResetAfterAcceptance: {}
  /** Reads the request and never responds. Accepts first if `accept` is true. */
  readonly NoResponse: { readonly accept?: boolean }
  /** Accepts, sends the status and the headers, then nothing more. */
  readonly HeadersThenSilence: {}
  /** Accepts and sends the first half of the correct body, as a complete HTTP message. */
  readonly TruncatedJson: {}
  /** Accepts, announces the length of the correct body, sends half of it, then resets the connection. */
  readonly BodyCutOff: {}
  /** Accepts, then sends the correct response after this many seconds: more than 0, at most 3600. */
  readonly Slow: { readonly seconds: number }
}

type FaultOf<Name extends keyof Kinds> = { readonly fault: Name } & Kinds[Name]

/**
 * A fault for the next requests to the five endpoints, with any method except OPTIONS.
 *
 * "Accepts" refers to `sendSms`: the SMS is stored and listed among the messages, regardless of the
 * response to the client. A read has nothing to accept and gets the same response. A fault before
 * acceptance comes before all checks, also before the check of the token.
 */
export type Fault = { readonly [Name in keyof Kinds]: FaultOf<Name> }[keyof Kinds]

/** A fault with its duration. */
export type SandboxFault = Fault & {
  /**
   * How many requests to the five endpoints get the fault; other requests do not count. Defaults to
   * all until the fault is cleared.
   */
  readonly times?: number
  /** The share of the requests that get the fault, above 0 and at most 1. Defaults to all of them. */
  readonly rate?: number
  /** Which requests the rate chooses: the same ones for the same whole number. Defaults to 0. */
  readonly seed?: number
}

/** The fault that a request got instead of the correct response, if any. */
interface Faulted {
  /** The name of the fault. */
  readonly fault?: Fault["fault"]
  /** The suffix of the forced outcome that chose the fault. */
  readonly forced?: string
}

/**
 * An SMS that the sandbox accepted: the fields of the request as they were sent, and the fields
 * that the sandbox adds.
 */
export interface StoredMessage extends Faulted {
  /** Assigned by the sandbox. */
  readonly message_id: string
  readonly recipient: string
  readonly message: string
  readonly sender_id?: string
  /** Called only with `webhookBody`. */
  readonly webhook_url?: string
  /** The sandbox does not wait for it. */
  readonly scheduled_time?: string
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

/** Selects the messages that match both filters. */
export interface MessageFilter {
  /** Text in the recipient, in any case. Spaces and other separators do not count, and a space also matches a plus. */
  readonly recipient?: string
  /** Text in the message, in any case. */
  readonly text?: string
}

/**
 * One request to the five endpoints, from when its body has arrived or its client has disconnected.
 * Requests to the control endpoints are not kept.
 */
export interface StoredRequest extends Faulted {
  /** 1 for the first request; no number is used twice. */
  readonly id: number
  /** Time of arrival, ISO 8601 in UTC. */
  readonly time: string
  readonly method: string
  /** Path and query, as they were on the wire. */
  readonly path: string
  /** As UTF-8, at most 128 KiB. If the client disconnected, the bytes that had arrived. */
  readonly body: string
  /** HTTP status; absent if no response was sent. */
  readonly status?: number
  /** Why the request was refused; absent if it was not. */
  readonly refusal?: string
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

/** The settings of a sandbox. Every option has a default. */
export interface StartOptions {
  /**
   * The access token to accept: visible ASCII characters. Defaults to a random one. The sandbox
   * hides it nowhere: do not give it the token of the real service.
   */
  readonly token?: string | undefined
  /** The port to listen on. Defaults to 0, which picks a free port. */
  readonly port?: number | undefined
  /**
   * The host to listen on. Defaults to `127.0.0.1`, which only this machine can reach. If other
   * machines can reach it, the page and the control endpoints need the token.
   */
  readonly host?: string | undefined
  /** The maximum number of messages to keep, the newest. Defaults to 10,000. */
  readonly maxMessages?: number | undefined
  /** The maximum number of requests to keep, the newest. Defaults to 1,000. */
  readonly maxRequests?: number | undefined
  /**
   * The JSON that a `webhook_url` on this machine gets by POST each time the status of its message
   * changes; `{message_id}`, `{recipient}` and `{status}` in it are replaced. The body is yours, because
   * the service does not document one. Defaults to none: no URL is called.
   */
  readonly webhookBody?: string | undefined
}
