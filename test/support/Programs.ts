/**
 * Runs the examples as a user does, each in its own process.
 */
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import { resolve } from "node:path"
import { execPath } from "node:process"
import type { Readable } from "node:stream"

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

interface Run {
  readonly script: string
  /** The working directory. Defaults to the workspace's root. */
  readonly folder?: string
  readonly args?: ReadonlyArray<string>
  readonly settings?: Readonly<Record<string, string>>
  readonly onFirstLine?: (stdout: Readable) => void
}

/**
 * Runs an example as a user does, in its own process. It has ended when no process holds its
 * stderr, also no sandbox that it started. So a test with a leftover sandbox times out.
 */
export const start = ({ args = [], folder, onFirstLine, script, settings }: Run) =>
  Effect.callback<Ended>((resume) => {
    const child = spawn(execPath, [resolve(script), ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"], NO_COLOR: "1", ...settings },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let stdout = ""
    let stderr = ""
    if (onFirstLine !== undefined) child.stdout.once("data", () => onFirstLine(child.stdout))
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString()
    })
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
    child.on("close", (code, signal) => resume(Effect.succeed({ code, signal, stdout, stderr })))
    return Effect.sync(() => child.kill())
  })

export const run = (
  script: string,
  args: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>>
) => start({ script, args, settings })

/** The variables of a program that uses the sandbox of the test. */
export const sandboxSettings = Effect.map(Sandbox, ({ baseUrl, token }) => ({
  MESSAGING_TOPUP_BASE_URL: baseUrl,
  MESSAGING_TOPUP_TOKEN: Redacted.value(token)
}))

export const onSandbox = (script: string, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(sandboxSettings, (settings) => run(script, args, settings))

export const onSandboxIn = (folder: string, script: string, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(sandboxSettings, (settings) => start({ script, args, folder, settings }))

export const sandboxed = Effect.provide(Sandbox.layer())
