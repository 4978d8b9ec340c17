/**
 * The examples as a user runs them, each in a process of its own.
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

/** The question, and the keys that are pressed when it stands there. */
export type Reply = readonly [question: string, keys: string]

export const nothing = "\n"
export const ctrlC = "\u0003"
/** Without a terminal it is the end of the input, which comes after the last reply. */
export const ctrlD = ""

/** Of util-linux, which other systems spell otherwise: a command on a terminal of its own. */
const terminalMaker = "/usr/bin/script"
export const hasTerminalMaker = process.platform === "linux" && existsSync(terminalMaker)

interface Run {
  readonly script: string
  /** Where it runs; default: the workspace's root. */
  readonly folder?: string
  readonly args?: ReadonlyArray<string>
  readonly settings?: Readonly<Record<string, string>>
  readonly replies?: ReadonlyArray<Reply>
  readonly onTerminal?: boolean
  readonly onFirstLine?: (stdout: Readable) => void
}

/**
 * Runs an example as a user does, in a process of its own. It has ended when nobody holds its stderr
 * any more, a sandbox that it started included: one that stays is a test that times out.
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

const sandboxSettings = Effect.map(Sandbox, ({ baseUrl, token }) => ({
  MESSAGING_TOPUP_BASE_URL: baseUrl,
  MESSAGING_TOPUP_TOKEN: Redacted.value(token)
}))

export const onSandbox = (script: string, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(sandboxSettings, (settings) => run(script, args, settings))

export const onSandboxIn = (folder: string, script: string, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(sandboxSettings, (settings) => start({ script, args, folder, settings }))

/** Code that runs before theirs, in the example's process and in those that it starts. */
export const preload = (code: string) => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}`
})

export const askedOnSandbox = (...replies: ReadonlyArray<Reply>) =>
  Effect.flatMap(Sandbox, ({ baseUrl, token }) =>
    start({
      script: "examples/demo.ts",
      replies,
      settings: {
        MESSAGING_TOPUP_BASE_URL: baseUrl,
        MESSAGING_TOPUP_TOKEN: Redacted.value(token),
        ...preload("process.stdin.isTTY = true")
      }
    })
  )

/** Whether anybody listens where the demo said that its sandbox does. */
export const isListening = (stdout: string) =>
  Effect.callback<boolean>((resume) => {
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(stdout)?.[1])
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resume(Effect.succeed(true)))
    socket.once("error", () => resume(Effect.succeed(false)))
    return Effect.sync(() => socket.destroy())
  })

export const sandboxed = Effect.provide(Sandbox.layer())
