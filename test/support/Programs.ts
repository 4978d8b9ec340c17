/**
 * Runs the examples as a user does, each in its own process.
 */
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { connect } from "node:net"
import { resolve } from "node:path"
import { execPath } from "node:process"
import type { Readable } from "node:stream"

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A question, and the keys to press when it appears. */
export type Reply = readonly [question: string, keys: string]

export const nothing = "\n"
export const ctrlC = "\u0003"
/** Without a terminal, this is the end of the input, which comes after the last reply. */
export const ctrlD = ""

/**
 * `script` of util-linux runs a command in its own terminal. Other systems have other options for
 * it.
 */
const terminalMaker = "/usr/bin/script"
export const hasTerminalMaker = process.platform === "linux" && existsSync(terminalMaker)

interface Run {
  readonly script: string
  /** The working directory. Defaults to the workspace's root. */
  readonly folder?: string
  readonly args?: ReadonlyArray<string>
  readonly settings?: Readonly<Record<string, string>>
  readonly replies?: ReadonlyArray<Reply>
  readonly onTerminal?: boolean
  readonly onFirstLine?: (stdout: Readable) => void
}

/**
 * Runs an example as a user does, in its own process. It has ended when no process holds its
 * stderr, also no sandbox that it started. So a test with a leftover sandbox times out.
 */
export const start = ({
  replies = [],
  args = [],
  folder,
  onFirstLine,
  onTerminal,
  script,
  settings
}: Run) =>
  Effect.callback<Ended>((resume) => {
    const [command, ...rest] = onTerminal
      ? [terminalMaker, "-qec", [execPath, script, ...args].join(" "), "/dev/null"]
      : [execPath, resolve(script), ...args]
    const child = spawn(command, rest, {
      cwd: folder,
      env: { PATH: process.env["PATH"], NO_COLOR: "1", ...settings },
      stdio: ["pipe", "pipe", "pipe"]
    })
    const left = [...replies]
    let stdout = ""
    let stderr = ""
    if (onFirstLine !== undefined) child.stdout.once("data", () => onFirstLine(child.stdout))
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString()
      const [question, keys] = left[0] ?? []
      if (question === undefined || !stdout.includes(question)) return
      left.shift()
      child.stdin.write(keys ?? "")
      if (left.length === 0) child.stdin.end()
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

/**
 * Returns settings that run code at the start of the example's process and of its child processes.
 */
export const preload = (code: string) => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}`
})

export const askedOnSandbox = (...replies: ReadonlyArray<Reply>) =>
  Effect.flatMap(sandboxSettings, (settings) =>
    start({
      script: "examples/demo.ts",
      replies,
      settings: { ...settings, ...preload("process.stdin.isTTY = true") }
    })
  )

/** Returns whether a server listens on the port of the demo's sandbox. */
export const isListening = (stdout: string) =>
  Effect.callback<boolean>((resume) => {
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(stdout)?.[1])
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resume(Effect.succeed(true)))
    socket.once("error", () => resume(Effect.succeed(false)))
    return Effect.sync(() => socket.destroy())
  })

export const sandboxed = Effect.provide(Sandbox.layer())
