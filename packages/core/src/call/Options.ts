/**
 * The options that both clients have. Their defaults and checks are in `OptionChecks.ts`.
 *
 * This file imports nothing, because the declarations of the promise client refer to it.
 */

/** Where the service is, and how it is called. */
export interface ServiceOptions<Token, Time> {
  /**
   * The URL of the service. A path prefix is kept. Must be https, except on loopback. Must not have
   * credentials, a query or a fragment.
   */
  readonly baseUrl: string
  /** The access token, as it was issued. */
  readonly token: Token
  /** The time-out of one request, including the response body. A number is in milliseconds. Default: 30 seconds. */
  readonly timeout?: Time | undefined
  /**
   * How often a read is retried after a lost connection, a time-out, 429, 500, 502, 503 or 504.
   * Sends ignore this option: a send is never retried once its request started. Default: 2.
   */
  readonly readRetries?: number | undefined
  /** The maximum size of a response body, in bytes. Default: 10 MiB. */
  readonly maxBodyBytes?: number | undefined
  /** Allows http to another machine. The network can then read the token. Default: false. */
  readonly allowInsecureHttp?: boolean | undefined
}

/** The options of undici's connections and of the User-Agent. */
export interface ConnectionOptions {
  /** The maximum number of connections. Further calls wait for a free one. Default: 100. */
  readonly connections?: number | undefined
  /** A text, such as `my-app/1.0`, that follows `messaging-topup/<version>` in the User-Agent header. */
  readonly userAgent?: string | undefined
}
