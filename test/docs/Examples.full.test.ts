import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup } from "@messaging-topup/core"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import { TestConsole } from "effect/testing"
import { send } from "../../examples/one-error.ts"
import { folder as journalFolder } from "../harness/TemporaryFolder.ts"
import { onSandbox, run, sandboxed, sandboxSettings } from "../harness/Programs.ts"
import { runNode } from "../harness/Process.ts"
import { responseServer } from "../harness/ResponseServer.ts"

it.live("script.ts is also plain JavaScript", () =>
  Effect.gen(function* () {
    const { messages } = yield* Sandbox
    const env = yield* sandboxSettings
    const script = readFileSync("examples/script.ts", "utf8")
    const args = ["--input-type=module", "--eval", script]
    const { stdout } = yield* Effect.promise(() => runNode(args, { cwd: "examples", env }))
    expect(stdout).toContain((yield* messages())[0]?.message_id)
  }).pipe(sandboxed)
)

describe.concurrent("send.ts", () => {
  it.live("sends one SMS and prints what was accepted", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const { code, stderr, stdout } = yield* onSandbox("examples/send.ts")
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      const accepted = yield* sandbox.messages()
      expect(accepted).toHaveLength(1)
      expect(stdout).toContain("accepted:")
      expect(stdout).toContain(accepted[0]?.message_id)
    }).pipe(sandboxed)
  )

  it.live("prints the outcome of a failed send, and fails", () =>
    Effect.gen(function* () {
      yield* Effect.flatMap(Sandbox, ({ setFault }) => setFault({ fault: "ResetAfterAcceptance" }))
      const { code, stderr } = yield* onSandbox("examples/send.ts")
      expect(code).toBe(1)
      expect(stderr).toMatch(/^unknown .+\n$/)
    }).pipe(sandboxed)
  )

  it.live("names the variable of a missing setting", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run("examples/send.ts")
      expect(code).toBe(1)
      expect(stderr).toMatch(/^.*MESSAGING_TOPUP_BASE_URL.*\n$/)
    })
  )
})

describe.each(["script.ts", "script.cjs"])("%s", (name) => {
  it.live("sends one SMS without Effect", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const { code, stderr, stdout } = yield* onSandbox(`examples/${name}`)
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      expect(yield* sandbox.messages()).toHaveLength(1)
      expect(stdout).toContain("accepted:")
    }).pipe(sandboxed)
  )

  it.live("prints the outcome of a failed send, and fails", () =>
    Effect.gen(function* () {
      yield* Effect.flatMap(Sandbox, ({ setFault }) => setFault({ fault: "ResetAfterAcceptance" }))
      const { code, stderr } = yield* onSandbox(`examples/${name}`)
      expect(code).toBe(1)
      expect(stderr).toMatch(/^unknown .+\n/)
    }).pipe(sandboxed)
  )
})

it.live("script.cjs says what to do after each outcome", () =>
  Effect.gen(function* () {
    const steps = {
      "0400": /^not-sent .+\ncorrect the cause\n$/,
      "0402": /^not-sent .+\npay, then send again: Forced by .+0402\n$/,
      "0429": /^not-sent .+\nsend again in 1 s\n$/,
      "0502": /^unknown .+\nask the recipient first\n$/,
      "0902": /^sent .+\ndo not send again\n$/
    }
    for (const [suffix, said] of Object.entries(steps)) {
      const { code, stderr } = yield* onSandbox("examples/script.cjs", [`+1555000${suffix}`])
      expect(code, suffix).toBe(1)
      expect(stderr, suffix).toMatch(said)
    }
  }).pipe(sandboxed)
)

it.live.each(["handle-errors.ts", "follow-status.ts"])(
  "%s names the variable of a missing setting in one line",
  (name) =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run(`examples/${name}`, ["+15550100123", "ANY"])
      expect(code).toBe(1)
      expect(stderr).toMatch(/^.*MESSAGING_TOPUP_BASE_URL.*\n$/)
    })
)

it.live("campaign-script.ts says which variables are missing", () =>
  Effect.gen(function* () {
    const { code, stderr } = yield* run("examples/campaign-script.ts")
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Error: set MESSAGING_TOPUP_BASE_URL and MESSAGING_TOPUP_TOKEN$/m)
  })
)

describe("moving/before.ts", () => {
  const lost = Effect.flatMap(Sandbox, ({ setFault }) =>
    setFault({ fault: "ResetAfterAcceptance", times: 1 })
  )
  const accepted = Effect.flatMap(Sandbox, (sandbox) => sandbox.messages())

  it.live("sends twice, but script.ts sends once", () =>
    Effect.gen(function* () {
      yield* lost
      const before = yield* onSandbox("examples/moving/before.ts")
      expect(before).toMatchObject({ code: 0, stderr: "" })
      expect(yield* accepted).toHaveLength(2)
      yield* Effect.flatMap(Sandbox, ({ reset }) => reset)
      yield* lost
      const after = yield* onSandbox("examples/script.ts")
      expect(after).toMatchObject({ code: 1, stdout: "" })
      expect(after.stderr).toMatch(/^unknown /)
      expect(yield* accepted).toHaveLength(1)
    }).pipe(sandboxed)
  )
})

it.live("telemetry.ts sends the spans of a call to a collector", () =>
  Effect.gen(function* () {
    const collector = yield* responseServer
    const ended = yield* onSandbox("examples/telemetry.ts", [], {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.baseUrl }
    })
    expect(ended).toMatchObject({ code: 0, stdout: "accepted: 1\n", stderr: "" })
    const traces = collector.received.filter(({ url }) => url === "/v1/traces")
    const text = traces.map(({ body }) => body).join()
    for (const name of ["checkout", "sendSms"]) expect(text).toContain(`"name":"${name}"`)
    expect(text).not.toContain("+15550100123")
    expect(text).not.toContain("4711")
  }).pipe(Effect.scoped, sandboxed)
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
    ["0902", "outcome: sent\naccepted, and the response is {"]
  ]

  it.live("prints what every failure means", () =>
    Effect.gen(function* () {
      const recipients = rows.map(([suffix]) => `+1555000${suffix}`)
      const { code, stderr, stdout } = yield* onSandbox("examples/handle-errors.ts", recipients)
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      let rest = stdout
      for (const [suffix, said] of rows) {
        expect(rest, suffix).toContain(said)
        rest = rest.slice(rest.indexOf(said) + said.length)
      }
    }).pipe(sandboxed)
  )
})

describe("send-batch.ts", () => {
  it.live("prints the outcome of every recipient", () =>
    Effect.gen(function* () {
      const recipients = ["+15550000123", "+15550000402", "+15550000900", "+15550000124"]
      const { code, stderr, stdout } = yield* onSandbox("examples/send-batch.ts", recipients)
      expect({ code, stderr }).toEqual({ code: 1, stderr: "" })
      const outcomes = ["sent", "not-sent", "unknown", "sent"]
      expect(stdout).toBe(recipients.map((each, row) => `${each} ${outcomes[row]}\n`).join(""))
      expect(yield* Effect.flatMap(Sandbox, ({ messages }) => messages())).toHaveLength(3)
    }).pipe(sandboxed)
  )
})

describe("send-once.ts", () => {
  it.live("sends one SMS for an order, however often it runs", () =>
    Effect.gen(function* () {
      const example = onSandbox("examples/send-once.ts", ["order-7"], { cwd: yield* journalFolder })
      const first = yield* example
      const second = yield* example
      const [sent, ...more] = yield* Effect.flatMap(Sandbox, ({ messages }) => messages())
      expect(more).toEqual([])
      expect(first).toMatchObject({ code: 0, stdout: `sent: ${sent?.message_id}\n`, stderr: "" })
      expect(second).toMatchObject({ code: 0, stdout: `sent before: ${sent?.message_id}\n` })
    }).pipe(sandboxed)
  )
})

describe.each(["follow-status.ts", "follow-script.ts"])("%s", (name) => {
  it.live("waits for the status that is given as final", () =>
    Effect.gen(function* () {
      yield* onSandbox("examples/send.ts")
      const [sent] = yield* Effect.flatMap(Sandbox, ({ messages }) => messages())
      const id = sent?.message_id ?? ""
      const followed = yield* onSandbox(`examples/${name}`, [id, "SANDBOX_DELIVERED"])
      expect(followed.stdout).toBe("final: SANDBOX_DELIVERED\n")
      const unknown = yield* onSandbox(`examples/${name}`, ["no-such-id", "ANY"])
      expect(unknown.stdout + unknown.stderr).toMatch(/unknown id: |NotFound/)
    }).pipe(sandboxed)
  )
})

const inProcess = Layer.unwrap(
  Effect.map(Sandbox, ({ baseUrl, token }) => MessagingTopup.layer({ baseUrl, token }))
).pipe(Layer.provideMerge(Sandbox.layerInProcess()))

it.effect("one-error.ts handles a payment that is required", () =>
  Effect.gen(function* () {
    yield* send
    expect(yield* TestConsole.errorLines).toEqual(["Pay, then send again"])
  }).pipe(Effect.provide(inProcess))
)
