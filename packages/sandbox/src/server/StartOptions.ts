/**
 * The settings of a sandbox.
 *
 * This file imports nothing, because the declarations of `startSandbox` refer to it.
 */

/** The settings of a sandbox. Every option has a default. */
export interface StartOptions {
  /** The access token to accept: visible ASCII characters. Defaults to a random one. */
  readonly token?: string | undefined
  /** The port to listen on. Defaults to 0, which picks a free port. */
  readonly port?: number | undefined
  /**
   * The host to listen on. Defaults to `127.0.0.1`, which only this machine can reach. If other
   * machines can reach it, the control endpoints need the token.
   */
  readonly host?: string | undefined
  /**
   * The maximum number of messages to keep. The oldest are deleted first, also when all take more
   * than 64 MiB. Defaults to 10,000.
   */
  readonly maxMessages?: number | undefined
  /**
   * The maximum number of requests to keep. The oldest are deleted first, also when all take more
   * than 64 MiB. Defaults to 1,000.
   */
  readonly maxRequests?: number | undefined
}
