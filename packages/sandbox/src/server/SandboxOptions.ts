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
  /** The access token to accept. Defaults to a random one. */
  readonly token?: Redacted.Redacted
  /**
   * The maximum number of messages to keep. The oldest are deleted first, also when all take more
   * than 64 MiB. Defaults to 10,000.
   */
  readonly maxMessages?: number
  /**
   * The maximum number of requests to keep. The oldest are deleted first, also when all take more
   * than 64 MiB. Defaults to 1,000.
   */
  readonly maxRequests?: number
}

/**
 * The settings of a sandbox on a real port.
 *
 * @since 0.1.0
 */
export interface SandboxOptions extends InProcessOptions {
  /** The port to listen on. Defaults to 0, which picks a free port. */
  readonly port?: number
  /**
   * The host to listen on. Defaults to `127.0.0.1`, which only this machine can reach. If other
   * machines can reach it, the control endpoints need the token.
   */
  readonly host?: string
}
