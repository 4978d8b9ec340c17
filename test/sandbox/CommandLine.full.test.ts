import { describe, expect, it } from "@effect/vitest"
import { forcedOutcomes } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../../packages/sandbox/src/main.ts", import.meta.url))

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

interface Running {
  readonly process: ChildProcess
  /** Waits until the output matches. */
  readonly until: (pattern: RegExp) => Effect.Effect<string>
  readonly ended: Effect.Effect<Ended>
}

const start = (...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync((): Running => {
      const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] })
      let stdout = ""
      let stderr = ""
      child.stderr.on("data", (chunk) => (stderr += String(chunk)))
      child.stdout.on("data", (chunk) => (stdout += String(chunk)))
      const ended = new Promise<Ended>((resolve) => {
        child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }))
      })
      return {
        process: child,
        until: (pattern) =>
          Effect.callback((resume) => {
            const look = () => {
              if (!pattern.test(stdout)) return
              child.stdout.off("data", look)
              resume(Effect.succeed(stdout))
            }
            child.stdout.on("data", look)
            look()
          }),
        ended: Effect.promise(() => ended)
      }
    }),
    ({ process }) => Effect.sync(() => process.kill("SIGKILL"))
  )

const runToEnd = (...args: ReadonlyArray<string>) =>
  Effect.flatMap(start(...args), (running) => running.ended)

const Address = Schema.fromJsonString(
  Schema.Struct({ baseUrl: Schema.String, token: Schema.String })
)

const decodeAddress = Schema.decodeUnknownEffect(Address, { onExcessProperty: "error" })

const takenPort = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (typeof address !== "object" || address === null) return
      resume(Effect.succeed({ port: address.port, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

describe("messaging-topup-sandbox", () => {
  it.live("prints where it is, how to use it and both tables", () =>
    Effect.gen(function* () {
      const { until } = yield* start("--port", "0", "--token", "my-token")
      const text = yield* until(/Stop with Ctrl\+C/)
      const baseUrl = /export MESSAGING_TOPUP_BASE_URL=(\S+)/.exec(text)?.[1]
      const headers = { authorization: "Bearer my-token" }
      const fetched = yield* Effect.promise(() =>
        fetch(`${baseUrl}/v1/airtime/AIR-1001`, { headers })
      )
      expect(fetched.status).toBe(200)
      expect(text).toContain("export MESSAGING_TOPUP_TOKEN=my-token")
      for (const reference of ["AIR-1001", "AIR-1002", "DATA-2001", "DATA-2002"]) {
        expect(text).toContain(reference)
      }
      for (const { accepted, response, suffix } of forcedOutcomes) {
        const row = new RegExp(`${suffix} +${accepted ? "yes" : "no"} +`)
        expect(text).toMatch(row)
        expect(text).toContain(response)
      }
    })
  )

  it.live("prints one line of JSON and nothing else with --json", () =>
    Effect.gen(function* () {
      const { ended, process, until } = yield* start("--port", "0", "--json")
      const address = yield* Effect.flatMap(until(/\n/), decodeAddress)
      const headers = { authorization: `Bearer ${address.token}` }
      const fetched = yield* Effect.promise(() =>
        fetch(`${address.baseUrl}/v1/list-bundles`, { headers })
      )
      expect(fetched.status).toBe(200)
      process.kill("SIGTERM")
      const { stderr, stdout } = yield* ended
      expect(stdout.trim().split("\n")).toHaveLength(1)
      expect(stderr).toBe("")
    })
  )

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it.live(`closes and exits with 0 on ${signal}, also while a client is connected`, () =>
      Effect.gen(function* () {
        const { ended, process, until } = yield* start("--port", "0", "--json")
        const { baseUrl } = yield* Effect.flatMap(until(/\n/), decodeAddress)
        yield* Effect.promise(() => fetch(baseUrl))
        process.kill(signal)
        expect(yield* ended).toMatchObject({ code: 0, signal: null })
      })
    )
  }

  it.live("exits with 1 where the port is in use, and says what to do", () =>
    Effect.gen(function* () {
      const { port } = yield* takenPort
      const { code, stderr, stdout } = yield* runToEnd("--port", String(port))
      expect([code, stdout]).toEqual([1, ""])
      expect(stderr).toContain(`port ${port}: the port is in use`)
    })
  )

  const badOptions = [
    ["--nope"],
    ["--port", "http"],
    ["--port", "65536"],
    ["--port"],
    ["--host", ""],
    ["--token", "two words"]
  ]
  for (const args of badOptions) {
    it.live(`exits with 2 for ${args.join(" ")}`, () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* runToEnd(...args)
        expect([code, stdout]).toEqual([2, ""])
        expect(stderr).toContain("See messaging-topup-sandbox --help")
      })
    )
  }

  it.live("warns where other machines can reach it", () =>
    Effect.gen(function* () {
      const { ended, process, until } = yield* start("--port", "0", "--host", "0.0.0.0", "--json")
      yield* until(/\n/)
      process.kill("SIGTERM")
      expect((yield* ended).stderr).toContain("0.0.0.0 can be reached from other machines")
    })
  )

  it.live("prints its options with --help", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* runToEnd("--help")
      expect(code).toBe(0)
      for (const option of ["--port", "--host", "--token", "--json", "--help", "--version"]) {
        expect(stdout).toContain(option)
      }
    })
  )

  it.live("prints its version with --version", () =>
    Effect.gen(function* () {
      expect(yield* runToEnd("--version")).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/)
      })
    })
  )
})
