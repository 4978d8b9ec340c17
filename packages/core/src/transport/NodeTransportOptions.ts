/** The options of the HTTP transport for Node. */
import type * as Duration from "effect/Duration"

/** The options of connections and of the User-Agent. */
export interface NodeTransportOptions {
  /** The maximum number of connections. Further calls wait for a free one. Defaults to 100. */
  readonly connections?: number | undefined
  /**
   * The time-out for making a connection, including the TLS handshake and a proxy's response to
   * CONNECT. Defaults to 10 seconds.
   */
  readonly connectTimeout?: Duration.Input | undefined
  /**
   * The URL of a proxy. `"env"` reads it from `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` when the
   * layer is built; names in lower case come first. Defaults to no proxy.
   */
  readonly proxy?: string | undefined
  /**
   * Certificates of trusted authorities, in PEM, for the service and for a proxy. They replace Node's
   * own list.
   */
  readonly ca?: string | ReadonlyArray<string> | undefined
  /** The client's certificate, in PEM. */
  readonly cert?: string | undefined
  /** The key of the client's certificate, in PEM. */
  readonly key?: string | undefined
  /**
   * A text, such as `my-app/1.0`, that follows `messaging-topup/<version>` in the User-Agent
   * header.
   */
  readonly userAgent?: string | undefined
}
