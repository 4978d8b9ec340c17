import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  type Reply,
  askedOnSandbox,
  ctrlC,
  ctrlD,
  hasTerminalMaker,
  isListening,
  nothing,
  onSandbox,
  preload,
  run,
  sandboxed,
  sandboxSettings,
  start
} from "./support/Programs.ts"

describe.concurrent("demo.ts stops its sandbox", () => {
  const signals = ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const

  it.live.each(signals)("after %s while it runs", (name) =>
    Effect.gen(function* () {
      // The demo sends itself the signal after its first line, when the sandbox listens.
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

  it.live.each(signals)("after %s while the sandbox starts", (name) =>
    Effect.gen(function* () {
      const { signal, stdout } = yield* run(
        "examples/demo.ts",
        [],
        preload(`if (process.argv[1].endsWith("/main.ts")) process.kill(process.ppid, "${name}")`)
      )
      expect({ signal, stdout }).toEqual({ signal: name, stdout: "" })
    })
  )

  it.live("when the reader of its output closes the pipe", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* start({
        script: "examples/demo.ts",
        onFirstLine: (reader) => reader.destroy()
      })
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      expect(yield* isListening(stdout)).toBe(false)
    })
  )

  it.live("and prints one line if the sandbox ends before it is ready", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run(
        "examples/demo.ts",
        [],
        preload('if (process.argv[1].endsWith("/main.ts")) process.exit(3)')
      )
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      expect(stderr).toBe("The sandbox ended before it was ready\n")
    })
  )
})

describe.concurrent("demo.ts on the user's service", () => {
  const toNobody: Reply = ["which number?", nothing]
  const noAirtime: Reply = ["an airtime purchase?", nothing]
  const noBundle: Reply = ["a data bundle purchase?", nothing]
  const sms = (number: string, answer: string, final = nothing): ReadonlyArray<Reply> => [
    ["which number?", `${number}\n`],
    ["do not wait", final],
    noAirtime,
    noBundle,
    ["for real", answer]
  ]

  it.live("says without a terminal that nothing will be sent, and lists the bundles", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const { code, stderr, stdout } = yield* onSandbox("examples/demo.ts")
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      expect(stdout).toMatch(/^There is no terminal.*nothing will be sent.\n\nData bundles: 12\n/)
      expect(yield* sandbox.messages()).toEqual([])
    }).pipe(sandboxed)
  )

  it.live("sends if the answer is yes, and does not wait if no status is final", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* askedOnSandbox(...sms("+15550100123", "Yes\n"))
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      const { messages, requests } = yield* Sandbox
      expect(yield* messages()).toHaveLength(1)
      expect((yield* requests()).map(({ method }) => method)).toEqual(["GET", "POST"])
      expect(stdout).toContain("accepted ")
      expect(stdout).not.toContain("Purchases")
    }).pipe(sandboxed)
  )

  it.live("sends nothing if the answer is not yes", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* askedOnSandbox(...sms("+15550100123", "sure\n"))
      expect(code).toBe(0)
      expect(stdout).toContain("not sent")
      expect(yield* Effect.flatMap(Sandbox, ({ messages }) => messages())).toEqual([])
    }).pipe(sandboxed)
  )

  it.live("reports the outcome of a failed send, continues, and fails at the end", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* askedOnSandbox(
        ...sms("+15550000402", "y\n", "DELIVERED\n")
      )
      expect({ code, stderr }).toEqual({ code: 1, stderr: "" })
      expect(stdout).toMatch(/ {2}outcome {4}not-sent: .+\n\nData bundles: 12\n {2}bundle_id/)
    }).pipe(sandboxed)
  )

  it.live("names the purchase that it could not read, and continues", () =>
    Effect.gen(function* () {
      const { stdout } = yield* askedOnSandbox(
        toNobody,
        ["an airtime purchase?", "AIR-0404\n"],
        ["a data bundle purchase?", "DATA-2001\n"]
      )
      expect(stdout).toMatch(
        /\nPurchases\n {2}airtime {4}AIR-0404: .+\n {2}bundle .+\n\nData bundles: 12\n/
      )
      expect(stdout).not.toContain("preview")
    }).pipe(sandboxed)
  )

  it.live.each<ReadonlyArray<Reply>>([[["which number?", ctrlD]], sms("+15550100123", ctrlD)])(
    "stops at Ctrl+D, at the first or at the last question (%#)",
    (replies) =>
      Effect.gen(function* () {
        const { code, stderr } = yield* askedOnSandbox(...replies)
        expect({ code, stderr }).toEqual({ code: 130, stderr: "\nstopped; nothing was sent\n" })
        expect(yield* Effect.flatMap(Sandbox, ({ messages }) => messages())).toEqual([])
      }).pipe(sandboxed)
  )

  it.live.skipIf(!hasTerminalMaker)("stops at Ctrl+C on a real terminal", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* start({
        script: "examples/demo.ts",
        onTerminal: true,
        replies: [
          ["which number?", "+15550100123\r"],
          ["do not wait", ctrlC]
        ],
        settings: yield* sandboxSettings
      })
      expect(code).toBe(130)
      expect(stdout).toMatch(/\nstopped; nothing was sent\r?\n$/)
    }).pipe(sandboxed)
  )
})

it.live(
  "demo.ts kills a campaign, which sends nothing twice, and --stay keeps the inbox open",
  () =>
    Effect.gen(function* () {
      const child = spawn(process.execPath, ["examples/demo.ts", "--stay"], {
        env: { PATH: process.env["PATH"] },
        stdio: ["ignore", "pipe", "inherit"]
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
      const text = yield* Effect.promise(async () => {
        let all = ""
        for await (const chunk of child.stdout) {
          all += String(chunk)
          if (all.includes("Stop with Ctrl+C")) break
        }
        return all
      })
      const [, sent, unknown] = /sent +(\d+)\n +unknown +(\d+),.*\n +twice +0\n/.exec(text) ?? []
      expect(Number(sent) + Number(unknown)).toBe(2000)
      const [, url = ""] = /The inbox stays open at (\S+)\. /.exec(text) ?? []
      const page = yield* Effect.promise(() => fetch(url))
      expect(page.headers.get("content-type")).toContain("text/html")
      const exited = once(child, "exit")
      child.kill("SIGINT")
      yield* Effect.promise(() => exited)
      // The sandbox ends a moment after its pipe is closed.
      yield* Effect.repeat(isListening(text), { while: (listens) => listens })
    })
)

it.live(
  "demo.ts shows an assistant, the quickstart and three failures on one sandbox, in 60 columns",
  () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run("examples/demo.ts", [], {})
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      for (const part of [
        "protocol   2026-07-28, ",
        "asked      Send this SMS? To +15550100123, ",
        "server     The SMS was sent",
        "assistant  get_sms_status",
        "server     This call sent nothing: an earlier call",
        "server     It is unknown whether the SMS was sent.",
        "server     The SMS was not sent by this call",
        "1 (GSM-7, 125 units left)",
        "SANDBOX_DELIVERED created",
        "airtime ",
        "bundle_id",
        "AuthenticationFailed",
        "NotFound",
        "ConnectionLost: unknown"
      ]) {
        expect(stdout).toContain(part)
      }
      const rows = stdout.split("\n").filter((row) => /^ {2}(bundle_id|\S+-\d+[mg]b) /.test(row))
      expect(rows).toHaveLength(3)
      for (const row of rows) expect(row.length).toBeLessThanOrEqual(60)
      // A terminal of 80 columns wraps longer lines.
      const lines = stdout.trimEnd().split("\n")
      const wrapped = lines.map((row) => Math.max(1, Math.ceil(row.length / 80)))
      expect(wrapped.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(60)
      expect(lines.at(-1)).toContain("docs/first-message.md")
    })
)
