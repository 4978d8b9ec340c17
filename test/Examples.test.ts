import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup } from "@messaging-topup/core"
import { Fault, Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { TestClock, TestConsole } from "effect/testing"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { connect } from "node:net"
import { execPath } from "node:process"
import type { Readable } from "node:stream"
import { quickstart } from "../examples/quickstart.ts"

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** The question, and the keys that are pressed when it stands there. */
type Answer = readonly [question: string, keys: string]

const nothing = "\n"
const ctrlC = "\u0003"
/** Without a terminal it is the end of the input, which comes after the last answer. */
const ctrlD = ""

/** Of util-linux, which other systems spell otherwise: a command on a terminal of its own. */
const terminalMaker = "/usr/bin/script"
const hasTerminalMaker = process.platform === "linux" && existsSync(terminalMaker)

interface Run {
  readonly script: string
  readonly args?: ReadonlyArray<string>
  readonly settings?: Readonly<Record<string, string>>
  readonly answers?: ReadonlyArray<Answer>
  readonly onTerminal?: boolean
  readonly onFirstLine?: (stdout: Readable) => void
}

/**
 * Runs an example as a user does, in a process of its own. It has ended when nobody holds its stderr
 * any more, a sandbox that it started included: one that stays is a test that times out.
 */
const start = ({ answers = [], args = [], onFirstLine, onTerminal, script, settings }: Run) =>
  Effect.callback<Ended>((resume) => {
    const [command, ...rest] = onTerminal
      ? [terminalMaker, "-qec", [execPath, script, ...args].join(" "), "/dev/null"]
      : [execPath, script, ...args]
    const child = spawn(command, rest, {
      env: { PATH: process.env["PATH"], NO_COLOR: "1", ...settings },
      stdio: ["pipe", "pipe", "pipe"]
    })
    const left = [...answers]
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

const run = (
  script: string,
  args: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>>
) => start({ script, args, settings })

const onSandbox = (script: string, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(Sandbox, ({ baseUrl, token }) =>
    run(script, args, {
      MESSAGING_TOPUP_BASE_URL: baseUrl,
      MESSAGING_TOPUP_TOKEN: Redacted.value(token)
    })
  )

/** Code that runs before theirs, in the example's process and in those that it starts. */
const preload = (code: string) => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}`
})

const askedOnSandbox = (...answers: ReadonlyArray<Answer>) =>
  Effect.flatMap(Sandbox, ({ baseUrl, token }) =>
    start({
      script: "examples/demo.ts",
      answers,
      settings: {
        MESSAGING_TOPUP_BASE_URL: baseUrl,
        MESSAGING_TOPUP_TOKEN: Redacted.value(token),
        ...preload("process.stdin.isTTY = true")
      }
    })
  )

/** Whether anybody listens where the demo said that its sandbox does. */
const isListening = (stdout: string) =>
  Effect.callback<boolean>((resume) => {
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(stdout)?.[1])
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resume(Effect.succeed(true)))
    socket.once("error", () => resume(Effect.succeed(false)))
    return Effect.sync(() => socket.destroy())
  })

const sandboxed = Effect.provide(Sandbox.layer())

describe.concurrent("readme.ts", () => {
  it.live("sends one SMS and prints what was accepted", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const { code, stderr, stdout } = yield* onSandbox("examples/readme.ts")
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      const accepted = yield* sandbox.accepted
      expect(accepted).toHaveLength(1)
      expect(stdout).toContain("accepted:")
      expect(stdout).toContain(accepted[0]?.message_id)
    }).pipe(sandboxed)
  )

  it.live("says what to set where a setting is missing", () =>
    Effect.gen(function* () {
      const { stderr } = yield* run("examples/readme.ts", [], {})
      expect(stderr).toMatch(/^.*MESSAGING_TOPUP_BASE_URL.*\n$/)
    })
  )
})

describe("script.ts", () => {
  it.live("sends one SMS without Effect", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const { code, stderr, stdout } = yield* onSandbox("examples/script.ts")
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      expect(yield* sandbox.accepted).toHaveLength(1)
      expect(stdout).toContain("accepted:")
    }).pipe(sandboxed)
  )

  it.live("says of a failed send whether it went out, and fails", () =>
    Effect.gen(function* () {
      yield* Effect.flatMap(Sandbox, ({ setFault }) => setFault(Fault.ResetAfterAcceptance()))
      const { code, stderr } = yield* onSandbox("examples/script.ts")
      expect(code).toBe(1)
      expect(stderr).toMatch(/^unknown .+\n$/)
    }).pipe(sandboxed)
  )
})

it.live.each(["handle-errors.ts", "follow-status.ts"])("%s says what to set, in one line", (name) =>
  Effect.gen(function* () {
    const { code, stderr } = yield* run(`examples/${name}`, ["+15550100123", "ANY"], {})
    expect(code).toBe(1)
    expect(stderr).toMatch(/^.*MESSAGING_TOPUP_BASE_URL.*\n$/)
  })
)

describe("handle-errors.ts", () => {
  const rows: ReadonlyArray<readonly [suffix: string, said: string]> = [
    ["0123", "accepted as sbx-1"],
    ["0400", "outcome: not-sent\nrefused:"],
    ["0401", "outcome: not-sent\ncheck the access token"],
    ["0402", "outcome: not-sent\nsettle the account"],
    ["0403", "outcome: not-sent\nthis token may not send"],
    ["0404", "outcome: not-sent\nnot found:"],
    ["0500", "outcome: unknown\nask the recipient before"],
    ["0429", "outcome: not-sent\ntoo many requests: wait 1 s"],
    ["0418", "outcome: unknown\nHTTP 418"],
    ["0502", "outcome: unknown\nHTTP 502"],
    ["0900", "outcome: unknown\nask the recipient first"],
    ["0902", "outcome: sent\naccepted, and the answer is {"]
  ]

  it.live("says of every failure what it means", () =>
    Effect.gen(function* () {
      const recipients = rows.map(([suffix]) => `+1555000${suffix}`)
      const { code, stderr, stdout } = yield* onSandbox("examples/handle-errors.ts", ...recipients)
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      let rest = stdout
      for (const [suffix, said] of rows) {
        expect(rest, suffix).toContain(said)
        rest = rest.slice(rest.indexOf(said) + said.length)
      }
    }).pipe(sandboxed)
  )
})

describe("follow-status.ts", () => {
  it.live("waits for the status that it is told is final", () =>
    Effect.gen(function* () {
      yield* onSandbox("examples/readme.ts")
      const [sent] = yield* Effect.flatMap(Sandbox, ({ accepted }) => accepted)
      const id = sent?.message_id ?? ""
      const followed = yield* onSandbox("examples/follow-status.ts", id, "SANDBOX_DELIVERED")
      expect(followed.stdout).toBe("final: SANDBOX_DELIVERED\n")
      const unknown = yield* onSandbox("examples/follow-status.ts", "no-such-id", "ANY")
      expect(unknown.stdout).toContain("unknown id:")
    }).pipe(sandboxed)
  )
})

describe.concurrent("demo.ts", () => {
  it.live("shows an assistant at work, the main job and three failures, on one sandbox", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run("examples/demo.ts", [], {})
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      for (const part of [
        "protocol   2026-07-28",
        "tools      preview_sms, send_sms",
        "assistant  preview_sms",
        "asked      Send this SMS?\n             To: +15550100123\n",
        "server     The SMS was sent",
        "assistant  get_sms_status",
        "server     The same SMS was sent by an earlier call, and this call sent nothing.",
        "server     It is unknown whether the SMS was sent.",
        "server     The SMS was not sent by this call",
        "preview",
        "1 (GSM-7, room for",
        "SANDBOX_DELIVERED created",
        "airtime ",
        "bundle_id",
        "AuthenticationFailed",
        "NotFound",
        "ConnectionLost: unknown"
      ]) {
        expect(stdout).toContain(part)
      }
    })
  )

  it.live.each([
    ["MESSAGING_TOPUP_BASE_URL", { MESSAGING_TOPUP_TOKEN: "secret" }],
    ["MESSAGING_TOPUP_TOKEN", { MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:9" }],
    [
      "MESSAGING_TOPUP_TOKEN",
      { MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:9", MESSAGING_TOPUP_TOKEN: "" }
    ]
  ] as const)("says that %s is missing where only the other one is set", ([name, settings]) =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run("examples/demo.ts", [], settings)
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      expect(stderr).toMatch(new RegExp(`^${name} is not set.*\\n$`))
    })
  )

  it.live("fits its table into 60 columns", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run("examples/demo.ts", [], {})
      const rows = stdout.split("\n").filter((row) => /^ {2}(bundle_id|\S+-\d+[mg]b) /.test(row))
      expect(rows).toHaveLength(13)
      for (const row of rows) expect(row.length).toBeLessThanOrEqual(60)
    })
  )
})

describe.concurrent("demo.ts leaves no sandbox behind", () => {
  const signals = ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const

  it.live.each(signals)("at %s while it runs", (name) =>
    Effect.gen(function* () {
      // The demo ends itself right after its first line: the sandbox listens then.
      const { signal, stdout } = yield* run(
        "examples/demo.ts",
        [],
        preload(`if (process.argv[1].endsWith("/demo.ts")) {
          const { write } = process.stdout
          process.stdout.write = (...args) => {
            write.apply(process.stdout, args)
            process.kill(process.pid, "${name}")
          }
        }`)
      )
      expect(signal).toBe(name)
      expect(yield* isListening(stdout)).toBe(false)
    })
  )

  it.live.each(signals)("at %s while the sandbox starts", (name) =>
    Effect.gen(function* () {
      const { signal, stdout } = yield* run(
        "examples/demo.ts",
        [],
        preload(`if (process.argv[1].endsWith("/main.ts")) process.kill(process.ppid, "${name}")`)
      )
      expect({ signal, stdout }).toEqual({ signal: name, stdout: "" })
    })
  )

  it.live("where its reader leaves after one line", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* start({
        script: "examples/demo.ts",
        onFirstLine: (reader) => reader.destroy()
      })
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      expect(yield* isListening(stdout)).toBe(false)
    })
  )

  it.live("where the sandbox ends before it answers, and says so in one line", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run(
        "examples/demo.ts",
        [],
        preload('if (process.argv[1].endsWith("/main.ts")) process.exit(3)')
      )
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      expect(stderr).toBe("The sandbox ended before it answered\n")
    })
  )
})

describe.concurrent("demo.ts on a service of the user's", () => {
  const toNobody: Answer = ["which number?", nothing]
  const noAirtime: Answer = ["an airtime purchase?", nothing]
  const noBundle: Answer = ["a data bundle purchase?", nothing]

  it.live("without a terminal, says that nothing will be sent, and lists the bundles", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const { code, stderr, stdout } = yield* onSandbox("examples/demo.ts")
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      expect(stdout).toMatch(/^There is no terminal.*nothing will be sent.\n\nData bundles\n/)
      expect(yield* sandbox.accepted).toEqual([])
    }).pipe(sandboxed)
  )

  it.live("sends where the answer is yes, and does not wait where no status is final", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* askedOnSandbox(
        ["which number?", "+15550100123\n"],
        ["do not wait", nothing],
        noAirtime,
        noBundle,
        ["for real?", "send\n"]
      )
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      const { accepted, received } = yield* Sandbox
      expect(yield* accepted).toHaveLength(1)
      expect((yield* received).map(({ method }) => method)).toEqual(["POST", "GET"])
      expect(stdout).toContain("accepted ")
      expect(stdout).not.toContain("Purchases")
    }).pipe(sandboxed)
  )

  it.live("sends nothing where the answer is another one", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* askedOnSandbox(
        ["which number?", "+15550100123\n"],
        ["do not wait", nothing],
        noAirtime,
        noBundle,
        ["for real?", "yes\n"]
      )
      expect(code).toBe(0)
      expect(stdout).toContain("not sent")
      expect(yield* Effect.flatMap(Sandbox, ({ accepted }) => accepted)).toEqual([])
    }).pipe(sandboxed)
  )

  it.live("says of a failed send whether it went out, goes on, and fails at the end", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* askedOnSandbox(
        ["which number?", "+15550000402\n"],
        ["do not wait", "DELIVERED\n"],
        noAirtime,
        noBundle,
        ["for real?", "send\n"]
      )
      expect({ code, stderr }).toEqual({ code: 1, stderr: "" })
      expect(stdout).toMatch(/\n {2}outcome {4}not-sent: .+\n\nData bundles\n {2}bundle_id/)
    }).pipe(sandboxed)
  )

  it.live("names the purchase that it could not read, and goes on", () =>
    Effect.gen(function* () {
      const { stdout } = yield* askedOnSandbox(
        toNobody,
        ["an airtime purchase?", "AIR-0404\n"],
        ["a data bundle purchase?", "DATA-2001\n"]
      )
      expect(stdout).toMatch(
        /\nPurchases\n {2}airtime {4}AIR-0404: .+\n {2}bundle .+\n\nData bundles\n/
      )
      expect(stdout).not.toContain("preview")
    }).pipe(sandboxed)
  )

  it.live.each<ReadonlyArray<Answer>>([
    [["which number?", ctrlD]],
    [
      ["which number?", "+15550100123\n"],
      ["do not wait", nothing],
      noAirtime,
      noBundle,
      ["for real?", ctrlD]
    ]
  ])("stops at Ctrl+D, at the first question or at the last (%#)", (answers) =>
    Effect.gen(function* () {
      const { code, stderr } = yield* askedOnSandbox(...answers)
      expect({ code, stderr }).toEqual({ code: 130, stderr: "\nstopped; nothing was sent\n" })
      expect(yield* Effect.flatMap(Sandbox, ({ accepted }) => accepted)).toEqual([])
    }).pipe(sandboxed)
  )

  it.live.skipIf(!hasTerminalMaker)("stops at Ctrl+C on a real terminal", () =>
    Effect.gen(function* () {
      const { baseUrl, token } = yield* Sandbox
      const { code, stdout } = yield* start({
        script: "examples/demo.ts",
        onTerminal: true,
        answers: [
          ["which number?", "+15550100123\r"],
          ["do not wait", ctrlC]
        ],
        settings: {
          MESSAGING_TOPUP_BASE_URL: baseUrl,
          MESSAGING_TOPUP_TOKEN: Redacted.value(token)
        }
      })
      expect(code).toBe(130)
      expect(stdout).toMatch(/\nstopped; nothing was sent\r?\n$/)
    }).pipe(sandboxed)
  )
})

const inProcess = Layer.unwrap(
  Effect.map(Sandbox, ({ baseUrl, token }) => MessagingTopup.layer({ baseUrl, token }))
).pipe(Layer.provideMerge(Sandbox.layerInProcess()))

it.effect("the quickstart says of a status that does not come that it was not seen yet", () =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(
      quickstart({
        request: { recipient: "+15550100123", message: "Hello" },
        confirm: Effect.succeed(true),
        finalStatus: "NEVER",
        askAgainAfter: "1 second",
        airtimeReference: "",
        dataBundleReference: ""
      })
    )
    yield* TestClock.adjust("5 seconds")
    yield* Fiber.join(fiber)
    expect(yield* TestConsole.logLines).toContainEqual(
      expect.stringMatching(/not yet.*SANDBOX_DELIVERED.* after 5 seconds/)
    )
  }).pipe(Effect.provide(inProcess))
)
