/**
 * Runs the command in its own process.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

export const sources = fileURLToPath(
  new URL("../../../packages/sandbox/src/main.ts", import.meta.url)
)

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

interface Running {
  readonly process: ChildProcess
  /** Waits until stdout matches. */
  readonly until: (pattern: RegExp) => Effect.Effect<string>
  readonly ended: Effect.Effect<Ended>
}

interface Options {
  readonly main?: string
  /** Defaults to true. */
  readonly readsStderr?: boolean
}

export const startAs = (
  { main = sources, readsStderr = true }: Options,
  args: ReadonlyArray<string>
) =>
  Effect.acquireRelease(
    Effect.sync((): Running => {
      const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] })
      const output = { stdout: "", stderr: "" }
      child.stdout.on("data", (chunk) => (output.stdout += String(chunk)))
      if (readsStderr) child.stderr.on("data", (chunk) => (output.stderr += String(chunk)))
      const ended = new Promise<Ended>((resolve) => {
        // Not "close" if stderr is not read: "close" waits until it is.
        child.once(readsStderr ? "close" : "exit", (code, signal) =>
          resolve({ code, signal, ...output })
        )
      })
      const until = (pattern: RegExp) =>
        Effect.callback<string>((resume) => {
          const look = () => {
            if (!pattern.test(output.stdout)) return
            child.stdout.off("data", look)
            resume(Effect.succeed(output.stdout))
          }
          child.stdout.on("data", look)
          look()
        })
      return {
        process: child,
        until,
        ended: Effect.promise(() => ended)
      }
    }),
    ({ process }) => Effect.sync(() => process.kill("SIGKILL"))
  )

export const start = (...args: ReadonlyArray<string>) => startAs({}, args)

const Address = Schema.fromJsonString(
  Schema.Struct({ baseUrl: Schema.String, token: Schema.String })
)

export const decodeAddress = Schema.decodeUnknownEffect(Address, { onExcessProperty: "error" })
