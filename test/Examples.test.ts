import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import { execPath } from "node:process"

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs an example as a user does, in a process of its own. */
const run = (
  script: string,
  args: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>>
): Effect.Effect<Ended> =>
  Effect.callback((resume) => {
    const child = spawn(execPath, [script, ...args], {
      env: { PATH: process.env["PATH"], NO_COLOR: "1", ...settings },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
    child.on("close", (code) => resume(Effect.succeed({ code, stdout, stderr })))
    return Effect.sync(() => child.kill())
  })

const onSandbox = (script: string, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(Sandbox, ({ baseUrl, token }) =>
    run(script, args, {
      MESSAGING_TOPUP_BASE_URL: baseUrl,
      MESSAGING_TOPUP_TOKEN: Redacted.value(token)
    })
  )

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
      const { code, stderr } = yield* run("examples/readme.ts", [], {})
      expect(code).not.toBe(0)
      expect(stderr).toContain("MESSAGING_TOPUP_BASE_URL")
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
})

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
  it.live("runs the main job on a sandbox of its own, and shows three failures", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run("examples/demo.ts", [], {})
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      for (const part of [
        "Preview",
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

  it.live("on a service of the user's, sends nothing where nobody says yes", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const { code, stdout } = yield* onSandbox("examples/demo.ts")
      expect(code).toBe(0)
      expect(stdout).toContain("not sent")
      expect(yield* sandbox.accepted).toEqual([])
    }).pipe(sandboxed)
  )
})
