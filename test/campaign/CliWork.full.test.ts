import { expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { alone, command, csvOf, fileOf, onSandbox, start } from "./support/Command.ts"
import { postgres, urlOf } from "./support/Postgres.ts"

const onPostgres = postgres()

const place = ["--journal", "postgres"]

const envOf = ({ port }: { readonly port: number }) => ({
  MESSAGING_TOPUP_CAMPAIGN_POSTGRES_URL: urlOf(port)
})

it.live(
  "two workers send the rows that run --queue puts into the queue, and end cleanly",
  onPostgres((server) =>
    Effect.gen(function* () {
      const { messages, until } = yield* Sandbox
      const { file } = yield* fileOf(csvOf(1200))
      const env = envOf(server)
      const work = start(["work", ...place], env)
      const workers = [yield* work, yield* work]
      const rows = ["run", file, "--campaign", "c", "--yes", "--queue", ...place]
      const enqueued = yield* command(rows, { env })
      expect(enqueued.code).toBe(0)
      expect(enqueued.events.at(-1)).toEqual({ event: "Offered", campaign: "c", slices: 3 })
      yield* until((kept) => kept.messages.length >= 1200)
      const status = alone(["status", "--campaign", "c", ...place], { env })
      const isOver = ({ stdout }: Effect.Success<typeof status>) =>
        stdout.includes('"pending":0,"attempting":0')
      const { events } = yield* Effect.repeat(status, { until: isOver })
      expect(events).toMatchObject([{ counts: { sent: 1200, unknown: 0, rejected: 0 } }])
      expect(yield* messages()).toHaveLength(1200)
      for (const worker of workers) {
        yield* worker.kill("SIGTERM")
        const ended = yield* worker.ended
        expect(ended.code).toBe(143)
        expect(ended.events[0]).toEqual({ event: "Working" })
        expect(ended.events.some(({ campaign }) => campaign === "c")).toBe(true)
      }
    }).pipe(onSandbox)
  ),
  120_000
)

it.live(
  "a worker on a terminal shows how many rows are done",
  onPostgres((server) =>
    Effect.gen(function* () {
      const { until } = yield* Sandbox
      const services = yield* Effect.context<Sandbox>()
      const { file } = yield* fileOf(csvOf(20))
      const env = envOf(server)
      const rows = ["run", file, "--campaign", "shown", "--yes", "--queue", ...place]
      const { code, stderr } = yield* command(["work", ...place], {
        columns: 80,
        env,
        stop: (says) =>
          says("Waiting for slices").pipe(
            Effect.andThen(command(rows, { env })),
            Effect.andThen(until(({ requests }) => requests.length >= 20)),
            Effect.andThen(says("20 done")),
            Effect.provide(services)
          )
      })
      expect(code).toBe(130)
      expect(stderr).toContain("\r\u001b[K20 done")
    }).pipe(onSandbox)
  ),
  120_000
)

it.live("work and --queue without PostgreSQL are errors that say what to do", () =>
  Effect.gen(function* () {
    for (const args of [["work"], ["resume", "--campaign", "c", "--queue"]]) {
      expect(yield* alone(args)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("give --journal postgres")
      })
    }
  })
)

it.live(
  "a restart of the database is one line on stderr, and stdout is still JSON",
  onPostgres((server) =>
    Effect.gen(function* () {
      const { until } = yield* Sandbox
      const { file } = yield* fileOf(csvOf(1200))
      const env = envOf(server)
      const worker = yield* start(["work", "--messages-per-second", "200", ...place], env)
      yield* worker.says("Waiting for slices")
      const rows = ["run", file, "--campaign", "restart", "--yes", "--queue", ...place]
      expect((yield* command(rows, { env })).code).toBe(0)
      yield* until(({ requests }) => requests.length >= 100)
      yield* Effect.promise(() => server.crashFor(8_000))
      yield* until(({ requests }) => requests.length >= 1000)
      yield* worker.kill("SIGTERM")
      const { events, stderr } = yield* worker.ended
      expect(events.filter(({ event }) => event === "Settled").length).toBeGreaterThan(0)
      const outage = stderr.split("\n").filter((line) => !/^(Waiting|Stopping|$)/.test(line))
      // None, if the worker held all slices during the outage.
      expect(outage.filter((line) => line !== "The queue is not available")).toEqual([])
    }).pipe(onSandbox)
  ),
  120_000
)
