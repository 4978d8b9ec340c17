/**
 * What can go wrong between a client and the service, to be injected on purpose.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"

/**
 * A fault that `Sandbox.setFault` applies to the requests that come after it: those whose path is one of
 * the five endpoints', with any method but OPTIONS.
 *
 * "Accepted" is said of `sendSms`: the SMS is in the state and in `Sandbox.accepted`, as if the
 * service had taken it. A read has nothing to accept and gets the same response. What happens before
 * acceptance happens before everything else, also before the token is checked.
 *
 * @since 0.1.0
 */
export type Fault = Data.TaggedEnum<{
  /**
   * Responds with this status (200 to 599) and body; nothing is accepted. The content type is
   * `application/json` where `headers` name no other. They cannot name `content-length`,
   * `transfer-encoding` and `connection`; 204, 205 and 304 have no body.
   */
  Response: {
    readonly status: number
    readonly body: string
    readonly headers?: Readonly<Record<string, string>>
  }
  /**
   * Refuses connections until the fault is cleared, then listens on the same port again. Idle
   * connections are closed. No request arrives, so none is recorded or counted.
   */
  ConnectionRefused: {}
  /** Reads the request, accepts nothing and resets the connection. */
  ResetBeforeAcceptance: {}
  /** Accepts, then resets the connection before any response. */
  ResetAfterAcceptance: {}
  /** Reads the request and is silent. Accepts first where `accept` is true. */
  NoResponse: { readonly accept?: boolean }
  /** Accepts, sends the status and the headers, then is silent. */
  HeadersThenSilence: {}
  /** Accepts, sends the status and the headers, then about 50 KB a second until the client leaves. */
  EndlessBody: {}
  /** Redirects; nothing is accepted. */
  Redirect: { readonly status: number; readonly location: string }
  /** Accepts and sends the right body as `text/html`. */
  WrongContentType: {}
  /** Accepts and sends the first half of the right body, as a complete HTTP message. */
  TruncatedJson: {}
  /**
   * Accepts and sends the right body, padded to this many bytes by one more JSON field: at most
   * 100 MiB. A body that is longer already stays as it is.
   */
  OversizedBody: { readonly bytes: number }
  /** Accepts, announces the right body's length, sends half of it and resets the connection. */
  BodyCutOff: {}
}>

/**
 * The constructors: `Fault.ResetAfterAcceptance()`, `Fault.Response({ status: 503, body: "" })`.
 *
 * @since 0.1.0
 */
export const Fault = Data.taggedEnum<Fault>()

/**
 * How long a fault lasts.
 *
 * @since 0.1.0
 */
export interface FaultOptions {
  /**
   * How many requests get the fault; others do not count. Default: all until it is cleared. `ConnectionRefused` always
   * lasts until it is cleared, because a refused connection brings no request to count.
   */
  readonly times?: number
}
