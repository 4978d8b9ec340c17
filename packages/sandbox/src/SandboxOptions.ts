/**
 * The settings of a sandbox.
 *
 * @since 0.1.0
 */
import type * as Redacted from "effect/Redacted"

/**
 * The settings of a sandbox without sockets.
 *
 * @since 0.1.0
 */
export interface InProcessOptions {
  /** The access token that is accepted. Default: a random one. */
  readonly token?: Redacted.Redacted
  /**
   * How many messages are kept: the newest ones, and fewer where they take more than 64 MiB. Default:
   * 10,000.
   */
  readonly maxMessages?: number
  /**
   * How many requests are kept: the newest ones, and fewer where they take more than 64 MiB. Default:
   * 1,000.
   */
  readonly maxRequests?: number
}

/**
 * The settings of a sandbox on a real port.
 *
 * @since 0.1.0
 */
export interface SandboxOptions extends InProcessOptions {
  /** Default: 0, which takes a free one. */
  readonly port?: number
  /**
   * Default: `127.0.0.1`, which only this machine can reach. Where other machines can reach it, the
   * control endpoints need the token.
   */
  readonly host?: string
}
