/** The settings of a client. */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

/** Where the service is, and how it is called. */
export interface MessagingTopupOptions {
  /**
   * The URL of the service. A path prefix is kept. Must be https, except on loopback. Must not have
   * credentials, a query or a fragment.
   */
  readonly baseUrl: string
  /**
   * The access token, as it was issued; or an effect that returns it, for tokens that change. Each call
   * runs the effect once. If it fails, the call fails with `TokenUnavailable`.
   */
  readonly token: Redacted.Redacted | Effect.Effect<Redacted.Redacted, unknown>
  /** The time-out of one attempt, including the response body. Defaults to 30 seconds. */
  readonly timeout?: Duration.Input | undefined
  /**
   * How often a read is retried after a lost connection, a time-out, 429, 500, 502, 503 or 504.
   * Defaults to 2. Sends ignore this option: a send is never retried once its request started.
   */
  readonly readRetries?: number | undefined
  /** The maximum size of a response body, in bytes. Defaults to 10 MiB. */
  readonly maxBodyBytes?: number | undefined
  /**
   * Allows http to a host that is not loopback. The network can then read the token. Defaults to
   * false.
   */
  readonly allowInsecureHttp?: boolean | undefined
}
