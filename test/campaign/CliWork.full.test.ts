import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  noPostgres,
  type PostgresServer,
  startPostgres
} from "../journal/support/PostgresServer.ts"
import { command, csvOf, fileOf, onSandbox, start as startCommand } from "./support/Command.ts"

const main = fileURLToPath(import.meta.resolve("@messaging-topup/campaign/src/main.ts"))

let server: PostgresServer | undefined
beforeAll(async () => {
  if (noPostgres === undefined) server = await startPostgres()
}, 60_000)
afterAll(() => server?.stop())

interface Running {
  readonly child: ChildProcess
  readonly events: ReadonlyArray<{ readonly event: string; readonly [name: string]: unknown }>
}

it.live(
  "two workers send the rows that run --queue puts into the queue, and end cleanly",
  (context) => {
    if (server === undefined) return context.skip(noPostgres)
    const { config, port } = server
    return Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "campaign-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const file = join(folder, "rows.csv")
      const lines = Array.from(
        { length: 1200 },
        (_, index) => `+1555${1000 + index}7,Hello ${index}`
      )
      writeFileSync(file, ["recipient,message", ...lines].join("\n"))
      const env = {
        PATH: process.env["PATH"] ?? "",
        MESSAGING_TOPUP_BASE_URL: sandbox.baseUrl,
        MESSAGING_TOPUP_TOKEN: Redacted.value(sandbox.token),
        MESSAGING_TOPUP_CAMPAIGN_POSTGRES_URL: `postgres://${config.username}@127.0.0.1:${port}/postgres`
      }
      const start = (...args: ReadonlyArray<string>) =>
        Effect.acquireRelease(
          Effect.sync((): Running => {
            const child = spawn(process.execPath, [main, ...args, "--journal", "postgres"], { env })
            const events = new Array<Running["events"][number]>()
            let rest = ""
            child.stdout.setEncoding("utf8").on("data", (text: string) => {
              const parts = (rest + text).split("\n")
              rest = parts.pop() ?? ""
              events.push(...parts.map((line) => JSON.parse(line)))
            })
            return { child, events }
          }),
          ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
        )
      const ended = ({ child }: Running) =>
        Effect.promise(async () =>
          child.exitCode === null ? (await once(child, "close"))[0] : child.exitCode
        )
      const workers = [yield* start("work"), yield* start("work")]
      const enqueued = yield* start("run", file, "--campaign", "c", "--yes", "--queue")
      expect(yield* ended(enqueued)).toBe(0)
      expect(enqueued.events.at(-1)).toEqual({ event: "Offered", campaign: "c", slices: 3 })
      yield* sandbox.awaitReceived(1200)
      const status = Effect.gen(function* () {
        const asked = yield* start("status", "--campaign", "c")
        yield* ended(asked)
        return asked.events[0]
      })
      const isOver = (event: Running["events"][number] | undefined) =>
        JSON.stringify(event).includes('"pending":0,"attempting":0')
      const last = yield* Effect.repeat(status, { until: isOver })
      expect(last).toMatchObject({ counts: { sent: 1200, unknown: 0, rejected: 0 } })
      expect(yield* sandbox.accepted).toHaveLength(1200)
      for (const worker of workers) {
        expect(worker.events[0]).toEqual({ event: "Working" })
        expect(worker.events.some(({ campaign }) => campaign === "c")).toBe(true)
        worker.child.kill("SIGTERM")
        expect(yield* ended(worker)).toBe(143)
      }
    }).pipe(onSandbox)
  },
  120_000
)

it.live(
  "a worker on a terminal shows how many rows are done",
  (context) => {
    if (server === undefined) return context.skip(noPostgres)
    const { config, port } = server
    return Effect.gen(function* () {
      const { awaitReceived } = yield* Sandbox
      const services = yield* Effect.context<Sandbox>()
      const { file } = yield* fileOf(csvOf(20))
      const url = `postgres://${config.username}@127.0.0.1:${port}/postgres`
      const env = { MESSAGING_TOPUP_CAMPAIGN_POSTGRES_URL: url }
      const place = ["--journal", "postgres"]
      const rows = ["run", file, "--campaign", "shown", "--yes", "--queue", ...place]
      const { code, stderr } = yield* command(["work", ...place], {
        columns: 80,
        env,
        stop: (says) =>
          says("Waiting for slices").pipe(
            Effect.andThen(command(rows, { env })),
            Effect.andThen(awaitReceived(20)),
            Effect.andThen(says("20 done")),
            Effect.provide(services)
          )
      })
      expect(code).toBe(130)
      expect(stderr).toContain("\r\u001b[K20 done")
    }).pipe(onSandbox)
  },
  120_000
)

it.live("work and --queue without PostgreSQL are errors that say what to do", () =>
  Effect.gen(function* () {
    for (const args of [["work"], ["resume", "--campaign", "c", "--queue"]]) {
      const child = spawn(process.execPath, [main, ...args], {
        env: { PATH: process.env["PATH"] ?? "" }
      })
      let stderr = ""
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
      const [code] = yield* Effect.promise(() => once(child, "close"))
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("give --journal postgres")
      })
    }
  })
)

it.live(
  "a restart of the database is one line on stderr, and stdout is still JSON",
  (context) => {
    if (server === undefined) return context.skip(noPostgres)
    const { config, crashFor, port } = server
    return Effect.gen(function* () {
      const { awaitReceived } = yield* Sandbox
      const { file } = yield* fileOf(csvOf(1200))
      const url = `postgres://${config.username}@127.0.0.1:${port}/postgres`
      const env = { MESSAGING_TOPUP_CAMPAIGN_POSTGRES_URL: url }
      const place = ["--journal", "postgres"]
      const worker = yield* startCommand(["work", "--messages-per-second", "200", ...place], env)
      yield* worker.says("Waiting for slices")
      const rows = ["run", file, "--campaign", "restart", "--yes", "--queue", ...place]
      expect((yield* command(rows, { env })).code).toBe(0)
      yield* awaitReceived(100)
      yield* Effect.promise(() => crashFor(8_000))
      yield* awaitReceived(1000)
      yield* worker.kill("SIGTERM")
      const { events, stderr } = yield* worker.ended
      expect(events.filter(({ event }) => event === "Settled").length).toBeGreaterThan(0)
      const outage = stderr.split("\n").filter((line) => !/^(Waiting|Stopping|$)/.test(line))
      // None, if the worker held all slices during the outage.
      expect(outage.filter((line) => line !== "The queue is not available")).toEqual([])
    }).pipe(onSandbox)
  },
  120_000
)
