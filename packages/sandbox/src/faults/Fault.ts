/**
 * Faults that the sandbox injects on request. A fault is the same object in a program, in the JSON
 * of the control endpoints and on the page.
 *
 * This file imports nothing, because the declarations of `startSandbox` refer to it.
 */

interface Kinds {
  /**
   * Sends this status (200 to 599) and body; accepts nothing. The content type defaults to
   * `application/json`. `headers` must not contain `content-length`, `transfer-encoding` or
   * `connection`. With 204, 205 and 304, the body must be empty.
   */
  readonly Response: {
    readonly status: number
    readonly body?: string
    readonly headers?: Readonly<Record<string, string>>
  }
  /** Redirects (300 to 399); accepts nothing. */
  readonly Redirect: { readonly status: number; readonly location: string }
  /**
   * Closes idle connections and refuses new ones until the fault is cleared, then listens on the
   * same port again. No request arrives, so none is recorded or counted. Not available over the
   * control endpoints, because no request could clear it.
   */
  readonly ConnectionRefused: {}
  /** Reads the request, accepts nothing and resets the connection. */
  readonly ResetBeforeAcceptance: {}
  /** Reads the request and never responds. Accepts first if `accept` is true. */
  readonly NoResponse: { readonly accept?: boolean }
  /** Accepts, then resets the connection before any response. */
  readonly ResetAfterAcceptance: {}
  /** Accepts, sends the status and the headers, then nothing more. */
  readonly HeadersThenSilence: {}
  /**
   * Accepts, sends the status and the headers, then about 50 KB a second until the client leaves.
   */
  readonly EndlessBody: {}
  /**
   * Accepts and sends the correct body, padded to this many bytes with an additional JSON field. At
   * most 100 MiB. A body that is already longer is not changed.
   */
  readonly OversizedBody: { readonly bytes: number }
  /** Accepts and sends the first half of the correct body, as a complete HTTP message. */
  readonly TruncatedJson: {}
  /** Accepts and sends the correct body as `text/html`. */
  readonly WrongContentType: {}
  /**
   * Accepts, announces the length of the correct body, sends half of it, then resets the
   * connection.
   */
  readonly BodyCutOff: {}
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

/** A fault with its duration: the same JSON in a program, at the control endpoints and on the page. */
export type SandboxFault = Fault & {
  /**
   * How many requests to the five endpoints get the fault; other requests do not count. Defaults to
   * all until the fault is cleared. `ConnectionRefused` always lasts until it is cleared, because
   * no request arrives that could count.
   */
  readonly times?: number
}
