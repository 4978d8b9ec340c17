/** The environment of one run of the command: arguments, variables, streams and signals. */
import type { Environment } from "@messaging-topup/command"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Readable, Writable } from "node:stream"

/** A stream that may be a terminal. */
export interface Output extends Writable {
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface Input extends Readable {
  readonly isTTY?: boolean
}

export type Signal = "SIGHUP" | "SIGINT" | "SIGTERM"

export class Invocation extends Context.Service<
  Invocation,
  {
    readonly args: ReadonlyArray<string>
    readonly environment: Environment
    readonly stdin: Input
    readonly stdout: Output
    readonly stderr: Output
    /** Completes when the command is asked to stop. */
    readonly stop: Effect.Effect<Signal>
  }
>()("messaging-topup/cli/Invocation") {}
