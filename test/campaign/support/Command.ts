/**
 * The command: inside the test's own process, where it starts in milliseconds, or as a process.
 */
import { run } from "@messaging-topup/campaign/src/cli/Command.ts"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execPath } from "node:process"
import { PassThrough, Readable } from "node:stream"

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** The JSON lines of stdout. */
  readonly events: ReadonlyArray<{ readonly event: string; readonly [field: string]: unknown }>
}

const endedOf = (ended: Omit<Ended, "events">): Ended => ({
  ...ended,
  get events() {
    return ended.stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
  }
})

type Environment = Readonly<Record<string, string>>

/** The service of the test, with nothing of the person who runs it. */
const environmentOf = Effect.map(Sandbox, ({ baseUrl, token }): Environment => ({
  MESSAGING_TOPUP_BASE_URL: baseUrl,
  MESSAGING_TOPUP_TOKEN: Redacted.value(token)
}))

interface InProcess {
  readonly env?: Environment
  readonly stdin?: Iterable<Buffer | string>
  /** Whether all its streams are a terminal, of this many columns. */
  readonly columns?: number
}

class Terminal extends PassThrough {
  readonly isTTY = true
  readonly columns: number
  constructor(columns: number) {
    super()
    this.columns = columns
  }
}

const output = (columns: number | undefined): PassThrough =>
  columns === undefined ? new PassThrough() : new Terminal(columns)

/** All that is written, as it comes. */
const collect = (stream: Readable): { text: string } => {
  const collected = { text: "" }
  stream.setEncoding("utf8")
  stream.on("data", (text: string) => (collected.text += text))
  return collected
}

/** The command without a service: nothing can be sent. */
export const alone = (
  args: ReadonlyArray<string>,
  { columns, env = {}, stdin = [] }: InProcess = {}
): Effect.Effect<Ended> =>
  Effect.gen(function* () {
    const [stdout, stderr] = [output(columns), output(columns)]
    const [out, err] = [collect(stdout), collect(stderr)]
    const input = Object.assign(Readable.from(stdin, { objectMode: false }), {
      isTTY: columns !== undefined
    })
    const code = yield* run({
      args,
      environment: env,
      stdin: input,
      stdout,
      stderr,
      stop: Effect.never
    })
    return endedOf({ code, signal: null, stdout: out.text, stderr: err.text })
  })

/** The command, on the sandbox of the test. */
export const command = (
  args: ReadonlyArray<string>,
  options: InProcess = {}
): Effect.Effect<Ended, never, Sandbox> =>
  Effect.flatMap(environmentOf, (service) =>
    alone(args, { ...options, env: { ...service, ...options.env } })
  )

interface Running {
  readonly pid: number
  readonly kill: (signal: NodeJS.Signals) => Effect.Effect<void>
  readonly ended: Effect.Effect<Ended>
}

/** The command as a process of its own, on the sandbox of the test. It is gone with the scope. */
export const start = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  env: Environment = {}
) {
  const service = yield* environmentOf
  const child = spawn(
    execPath,
    [join(import.meta.dirname, "../../../packages/campaign/src/main.ts"), ...args],
    { env: { PATH: process.env["PATH"], ...service, ...env }, stdio: ["ignore", "pipe", "pipe"] }
  )
  const [out, err] = [collect(child.stdout), collect(child.stderr)]
  const exited = new Promise<Ended>((resolve) => {
    child.once("close", (code, signal) =>
      resolve(endedOf({ code, signal, stdout: out.text, stderr: err.text }))
    )
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
  const running: Running = {
    pid: child.pid ?? 0,
    kill: (signal) => Effect.sync(() => child.kill(signal)),
    ended: Effect.promise(() => exited)
  }
  return running
})

/** A folder of the test, removed with the scope. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "campaign-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** A file in a folder of its own, and a journal beside it. */
export const fileOf = Effect.fnUntraced(function* (content: Buffer | string, name = "rows.csv") {
  const path = yield* folder
  const file = join(path, name)
  writeFileSync(file, content)
  return { file, journal: `sqlite:${join(path, "journal.sqlite")}` }
})

/** Numbers whose ends force nothing in the sandbox. */
export const numberOf = (index: number): string => `+1555${String(1_000_000 + index)}7`

export const csvOf = (count: number): string =>
  ["recipient,message", ...Array.from({ length: count }, (_, i) => `${numberOf(i)},Hello ${i}`)]
    .map((line) => `${line}\n`)
    .join("")

export const texts = Effect.flatMap(Sandbox, ({ accepted }) =>
  Effect.map(accepted, (sms) => sms.map(({ message }) => message))
)
