import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { run, start } from "./support/Programs.ts"

it.live("demo.ts ends when the reader of its output closes the pipe", () =>
  Effect.gen(function* () {
    const { code, stderr } = yield* start({
      script: "examples/demo.ts",
      onFirstLine: (reader) => reader.destroy()
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  })
)

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
    })
)

it.live(
  "demo.ts shows an assistant, the calls of a program and three failures on one sandbox, in 60 columns",
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
