/**
 * The settings of a sandbox.
 *
 * @since 0.1.0
 */
import type * as Redacted from "effect/Redacted"
import type { StartOptions } from "./StartOptions.ts"

/**
 * The settings of a sandbox on a real port.
 *
 * @since 0.1.0
 */
export interface SandboxOptions extends StartOptions {
  /** The access token to accept. Defaults to a random one. */
  readonly token?: Redacted.Redacted | undefined
}

/**
 * The settings of a sandbox without sockets.
 *
 * @since 0.1.0
 */
export interface InProcessOptions extends Omit<SandboxOptions, "host" | "port"> {}
