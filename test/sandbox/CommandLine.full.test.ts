import { describe, expect, it } from "@effect/vitest"
import { forcedOutcomes } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { decodeAddress, sources, start } from "./support/Command.ts"

const runToEnd = (...args: ReadonlyArray<string>) =>
  Effect.flatMap(start(...args), (running) => running.ended)

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
  it.live("prints client settings, and its address and inbox last", () =>
    Effect.gen(function* () {
      const { until } = yield* start("--port", "0")
      const text = yield* until(/Inbox .*\n/)
      expect(text.trim().split("\n").slice(-2)).toEqual([
        expect.stringMatching(/^ {2}Address {2}http:\S+$/),
        expect.stringMatching(/^ {2}Inbox {4}http:\S+$/)
      ])
      for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(80)
      const baseUrl = /export MESSAGING_TOPUP_BASE_URL=(\S+)/.exec(text)?.[1]
      const token = /export MESSAGING_TOPUP_TOKEN=(\S+)/.exec(text)?.[1]
      const headers = { authorization: `Bearer ${token}` }
      const fetched = yield* Effect.promise(() =>
        fetch(`${baseUrl}/v1/airtime/AIR-1001`, { headers })
      )
      expect(fetched.status).toBe(200)
    })
  )

  it.live("prints only one line of JSON on stdout with --json", () =>
    Effect.gen(function* () {
      const { ended, process, until } = yield* start("--port", "0", "--json", "--quiet")
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

  it.live("ends when npx ends, which ends only the shell between them", () =>
    Effect.promise(async () => {
      const env = { ...process.env, npm_command: "exec" }
      const command = [process.execPath, sources, "--port", "0", "--json", "--quiet"]
      const shell = spawn("sh", ["-c", '"$@" & wait', "sh", ...command], { env })
      await once(shell.stdout, "data")
      const closed = once(shell, "close")
      shell.kill("SIGTERM")
      // The sandbox has the other end of this pipe.
      await closed
    })
  )

  it.live("exits with 1 if the port is in use, and says what to do", () =>
    Effect.gen(function* () {
      const { port } = yield* takenPort
      const { code, stderr, stdout } = yield* runToEnd("--port", String(port))
      expect([code, stdout]).toEqual([1, ""])
      expect(stderr).toContain(`port ${port}: the port is in use`)
    })
  )

  const badOptions = [
    ["--nope"],
    ["--port", "65536"],
    ["--host", ""],
    ["--token", "two words"],
    ["--token", ""],
    ["--outcomes"],
    ["--max-messages", "0"],
    ["--max-requests", "-1"]
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

  it.live("warns if other machines can reach it", () =>
    Effect.gen(function* () {
      const { ended, process, until } = yield* start("--port", "0", "--host", "0.0.0.0", "--json")
      yield* until(/\n/)
      process.kill("SIGTERM")
      expect((yield* ended).stderr).toContain("0.0.0.0 is reachable from other machines")
    })
  )

  it.live("says that the inbox needs the token, beyond loopback", () =>
    Effect.gen(function* () {
      const { until } = yield* start("--port", "0", "--host", "0.0.0.0", "--token", "my-token")
      const text = yield* until(/Inbox .*\n/)
      expect(text).toMatch(/Inbox {4}http:\/\/127\.0\.0\.1:\d+\/ \(the token is the password\)\n/)
    })
  )

  it.live("keeps as many messages and requests as the options say", () =>
    Effect.gen(function* () {
      const { until } = yield* start(
        "--port",
        "0",
        "--json",
        "--max-messages",
        "2",
        "--max-requests",
        "1"
      )
      const { baseUrl, token } = yield* Effect.flatMap(until(/\n/), decodeAddress)
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
      const body = JSON.stringify({ recipient: "+15551234567", message: "Hello" })
      for (let n = 0; n < 3; n++) {
        yield* Effect.promise(() => fetch(`${baseUrl}/sms/send`, { method: "POST", headers, body }))
      }
      const page = (path: string) =>
        Effect.promise(() =>
          fetch(`${baseUrl}/_sandbox/${path}`).then((response) => response.json())
        )
      expect(yield* page("messages")).toMatchObject({ kept: 2, accepted: 3 })
      expect(yield* page("requests")).toMatchObject({ kept: 1, received: 3 })
    })
  )

  it.live("prints its options, the forced outcomes and the sample records with --help", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* runToEnd("--help")
      expect(code).toBe(0)
      const options = "port host token max-messages max-requests json quiet help version"
      for (const option of options.split(" ")) expect(stdout).toContain(`--${option}`)
      for (const text of ["inbox", "/_sandbox/", "/openapi.json", "AIR-1002", "DATA-2002"]) {
        expect(stdout).toContain(text)
      }
      for (const { accepted, response, suffix } of forcedOutcomes) {
        expect(stdout).toMatch(new RegExp(`${suffix} +${accepted ? "yes" : "no"} +`))
        expect(stdout).toContain(response)
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
