/**
 * Faults that the sandbox injects on request.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"

/**
 * A fault that `Sandbox.setFault` applies to the next requests to the five endpoints, with any
 * method except OPTIONS.
 *
 * "Accepts" refers to `sendSms`: the SMS is stored and listed in `Sandbox.accepted`. A read has
 * nothing to accept and gets the same response. A fault before acceptance comes before all checks,
 * also before the check of the token.
 *
 * @since 0.1.0
 */
export type Fault = Data.TaggedEnum<{
  /**
   * Sends this status (200 to 599) and body; accepts nothing. The content type defaults to
   * `application/json`. `headers` must not contain `content-length`, `transfer-encoding` or
   * `connection`. With 204, 205 and 304, the body must be empty.
   */
  Response: {
    readonly status: number
    readonly body: string
    readonly headers?: Readonly<Record<string, string>>
  }
  /**
   * Closes idle connections and refuses new ones until the fault is cleared, then listens on the
   * same port again. No request arrives, so none is recorded or counted.
   */
  ConnectionRefused: {}
  /** Reads the request, accepts nothing and resets the connection. */
  ResetBeforeAcceptance: {}
  /** Accepts, then resets the connection before any response. */
  ResetAfterAcceptance: {}
  /** Reads the request and never responds. Accepts first if `accept` is true. */
  NoResponse: { readonly accept?: boolean }
  /** Accepts, sends the status and the headers, then nothing more. */
  HeadersThenSilence: {}
  /**
   * Accepts, sends the status and the headers, then about 50 KB a second until the client leaves.
   */
  EndlessBody: {}
  /** Redirects; accepts nothing. */
  Redirect: { readonly status: number; readonly location: string }
  /** Accepts and sends the correct body as `text/html`. */
  WrongContentType: {}
  /** Accepts and sends the first half of the correct body, as a complete HTTP message. */
  TruncatedJson: {}
  /**
   * Accepts and sends the correct body, padded to this many bytes with an additional JSON field. At
   * most 100 MiB. A body that is already longer is not changed.
   */
  OversizedBody: { readonly bytes: number }
  /**
   * Accepts, announces the length of the correct body, sends half of it, then resets the
   * connection.
   */
  BodyCutOff: {}
}>

/**
 * The constructors: `Fault.ResetAfterAcceptance()`, `Fault.Response({ status: 503, body: "" })`.
 *
 * @since 0.1.0
 */
export const Fault = Data.taggedEnum<Fault>()

/**
 * The options of `Sandbox.setFault`.
 *
 * @since 0.1.0
 */
export interface FaultOptions {
  /**
   * How many requests to the five endpoints get the fault; other requests do not count. Defaults to
   * all until the fault is cleared.
   * `ConnectionRefused` always lasts until it is cleared, because no request arrives that could
   * count.
   */
  readonly times?: number
}
