/**
 * Runs the command in the process of the test, which takes milliseconds, or as a separate process.
 */
import { run } from "@messaging-topup/command"
import { messagingTopup } from "messaging-topup/src/Commands.ts"
import { create } from "@messaging-topup/journal/internal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { PassThrough, Readable } from "node:stream"
import { expect } from "vitest"
import { commandFile } from "./Bundled.ts"
import { folder } from "./TemporaryFolder.ts"
import { type Ended as ProcessEnded, type Exit, startNode, startScoped, watch } from "./Process.ts"
import { sandboxSettings } from "./sandbox/Client.ts"

export interface Ended extends ProcessEnded {
  /** The JSON lines of stdout. */
  readonly events: ReadonlyArray<{ readonly event: string; readonly [field: string]: unknown }>
}

const endedOf = (ended: ProcessEnded): Ended => ({
  ...ended,
  get events() {
    return ended.stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
  }
})

type Environment = Readonly<Record<string, string | undefined>>

interface InProcess {
  readonly env?: Environment
  /** Of a terminal, a person types it when the question stands. */
  readonly stdin?: AsyncIterable<Buffer | string> | Iterable<Buffer | string>
  /** The columns of a terminal. If absent, its streams are not a terminal. */
  readonly columns?: number
  /** Presses Ctrl+C when this ends. `says` waits for a text. */
  readonly stop?: (says: (text: string) => Effect.Effect<unknown>) => Effect.Effect<unknown>
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

/** Runs the command without a service, so that it can send nothing. */
export const alone = (
  args: ReadonlyArray<string>,
  { columns, env = {}, stdin = [], stop }: InProcess = {}
): Effect.Effect<Ended> =>
  Effect.gen(function* () {
    const [stdout, stderr] = [output(columns), output(columns)]
    const exit = Promise.withResolvers<Exit>()
    const { ended, first, written } = watch({ stdout, stderr }, exit.promise)
    const says = (text: string) =>
      Effect.promise(() =>
        first(text, () => (written.stderr + written.stdout).includes(text) || undefined)
      )
    async function* typing() {
      await first("a question", () => written.stderr.includes("[y/N] ") || undefined)
      yield* stdin
    }
    const isTTY = columns !== undefined
    const typed = Readable.from(isTTY ? typing() : stdin, { objectMode: false })
    const code = yield* run(messagingTopup, {
      args,
      // No journal of the person who runs the tests.
      environment: { MESSAGING_TOPUP_JOURNAL: "memory", ...env },
      stdin: Object.assign(typed, { isTTY }),
      stdout,
      stderr,
      stop: Effect.as(stop?.(says) ?? Effect.never, "SIGINT")
    })
    exit.resolve({ code, signal: null })
    return endedOf(yield* Effect.promise(() => ended))
  })

/** Runs a command of the operator, for tests with promises. */
export const operate = (args: ReadonlyArray<string>, env: Environment = {}): Promise<Ended> =>
  Effect.runPromise(alone(args, { env }))

/** Runs the command on the sandbox of the test. */
export const command = (
  args: ReadonlyArray<string>,
  options: InProcess = {}
): Effect.Effect<Ended, never, Sandbox> =>
  Effect.flatMap(sandboxSettings, (service) =>
    alone(args, { ...options, env: { ...service, ...options.env } })
  )

/** Starts the command as a separate process on the sandbox of the test, until the scope closes. */
export const start = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  env: Environment = {},
  stdin: AsyncIterable<string> | Iterable<string> = []
) {
  const service = yield* sandboxSettings
  const running = yield* startScoped([commandFile, ...args], { env: { ...service, ...env }, stdin })
  return {
    ...running,
    /** Waits until it has printed this on stderr. */
    says: (pattern: RegExp) => Effect.promise(() => running.until(pattern, "stderr")),
    ended: Effect.map(
      Effect.promise(() => running.ended),
      endedOf
    )
  }
})

/** Starts `messaging-topup sandbox` on a free port. */
export const startSandboxCommand = (
  args: ReadonlyArray<string> = [],
  options?: Parameters<typeof startNode>[1]
) => startNode([commandFile, "sandbox", "--port", "0", ...args], options)

/** Starts it with `--json`, and reads the one line that it prints. */
export const startSandboxJson = async (
  args: ReadonlyArray<string> = [],
  options?: Parameters<typeof startNode>[1]
) => {
  const sandbox = startSandboxCommand(["--json", ...args], options)
  const line: unknown = JSON.parse(await sandbox.nextLine())
  expect(line).toEqual({ base_url: expect.any(String), token: expect.any(String) })
  const { base_url: baseUrl, token } = line as { readonly base_url: string; readonly token: string }
  return { ...sandbox, baseUrl, token }
}

/** Runs a test on a sandbox of its own. */
export const onSandbox = <A, E>(test: Effect.Effect<A, E, Sandbox | Scope.Scope>) =>
  test.pipe(Effect.scoped, Effect.provide(Sandbox.layer()))

/** Makes a journal in which nothing was sent, as `init` does. */
export const makeJournal = (file: string) => Effect.orDie(create({ _tag: "Sqlite", file }))

/** A file in a temporary folder, with a journal beside it in which nothing was sent. */
export const fileOf = Effect.fnUntraced(function* (content: Buffer | string, name = "rows.csv") {
  const path = yield* folder
  const file = join(path, name)
  writeFileSync(file, content)
  const journal = join(path, "journal.sqlite")
  yield* makeJournal(journal)
  return { file, journal }
})

/** Numbers whose endings force nothing in the sandbox. */
export const numberOf = (index: number): string => `+1555${String(1_000_000 + index)}7`

export const csvOf = (count: number): string =>
  ["recipient,message", ...Array.from({ length: count }, (_, i) => `${numberOf(i)},Hello ${i}`)]
    .map((line) => `${line}\n`)
    .join("")

export const texts = Effect.flatMap(Sandbox, ({ messages }) =>
  Effect.map(messages(), (sms) => sms.map(({ message }) => message))
)
