/**
 * The settings of a client.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/**
 * Where the service is, and how it is called.
 *
 * @since 0.1.0
 */
export interface MessagingTopupOptions {
  /**
   * Where the service is. A path prefix is kept. Must be https, except on loopback. No credentials,
   * query or fragment.
   */
  readonly baseUrl: string
  /** The access token, as it was issued. */
  readonly token: Redacted.Redacted
  /** For one attempt, its body included. Default: 30 seconds. */
  readonly timeout?: Duration.Input | undefined
  /**
   * How often a read is retried after a lost connection, a time-out, 429, 500, 502, 503 or 504.
   * Default: 2. A send is never retried once its request started, whatever this says.
   */
  readonly readRetries?: number | undefined
  /** The largest body of a response, in bytes. Default: 10 MiB. */
  readonly maxBodyBytes?: number | undefined
  /** Allows http to a host that is not loopback: the token is then readable on the way. */
  readonly allowInsecureHttp?: boolean | undefined
}
