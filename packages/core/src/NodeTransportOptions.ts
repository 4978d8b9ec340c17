/**
 * The options of the HTTP transport for Node.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"

/**
 * How connections are made.
 *
 * @since 0.1.0
 */
export interface NodeTransportOptions {
  /** The maximum number of connections; further calls wait for one. Default: 100. */
  readonly connections?: number | undefined
  /**
   * How long making a connection may take, its TLS handshake and a proxy's response to CONNECT included.
   * Default: 10 seconds.
   */
  readonly connectTimeout?: Duration.Input | undefined
  /**
   * The URL of a proxy; `"env"` takes it from `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in small letters
   * first, when the layer is built. Default: no proxy.
   */
  readonly proxy?: string | undefined
  /** Certificates of authorities to trust instead of Node's, in PEM. */
  readonly ca?: string | ReadonlyArray<string> | undefined
  /** The client's certificate, in PEM. */
  readonly cert?: string | undefined
  /** The key of the client's certificate, in PEM. */
  readonly key?: string | undefined
  /** Follows `messaging-topup/<version>` in the User-Agent header, such as `my-app/1.0`. */
  readonly userAgent?: string | undefined
}
