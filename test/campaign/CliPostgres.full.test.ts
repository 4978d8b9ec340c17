import * as PgClient from "@effect/sql-pg/PgClient"
import * as Postgres from "@messaging-topup/journal/postgres"
import { expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { writeFileSync } from "node:fs"
import { alone, command, csvOf, fileOf, onSandbox, start, texts } from "../harness/Command.ts"
import { dropSchema, postgres, urlOf } from "../harness/journal/PostgresServer.ts"
import { configOf } from "../harness/journal/JournalOf.ts"

const onPostgres = postgres()

const variable = "MESSAGING_TOPUP_JOURNAL"

/** As after a failover: the journal knows another server than the one that it is on. */
const anotherServer = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql`update messaging_topup_journal.setting set value = '' where name = 'server'`
)

const failedOver = (lost: number) =>
  `Another database server took over, and the outcomes of ${lost} SMS could not be stored. That server may not have these SMS, and then the next run sends them again: stop everything (also cron), and do not run this again before what went out is taken out of the list: compare the service with results`

it.live(
  "a campaign is sent on PostgreSQL, and another command sees it",
  onPostgres(({ port }) =>
    Effect.gen(function* () {
      const env = { [variable]: urlOf(port) }
      const { file } = yield* fileOf(csvOf(20))
      const sends = ["run", file, "--yes", "--journal", "postgres"]
      expect((yield* command([...sends, "--dry-run"], { env })).code).toBe(0)
      const refused = yield* command(sends, { env })
      expect(refused.code).toBe(1)
      expect(refused.stderr).toContain("there is none yet")
      const init = ["init", "--yes", "--journal", "postgres"]
      expect((yield* alone(init, { env })).code).toBe(0)
      expect((yield* alone(init, { env })).code).toBe(1)
      const database = PgClient.layer(configOf(port))
      yield* Effect.provide(dropSchema, database)
      yield* Effect.scoped(Layer.build(Layer.provide(Postgres.layer, database)))
      expect((yield* command(sends, { env })).stderr).toContain("created this journal")
      expect(yield* alone(init, { env })).toMatchObject({ code: 0, events: [{ event: "Begun" }] })
      expect((yield* alone(init, { env })).code).toBe(1)
      expect((yield* command(sends, { env })).code).toBe(0)
      expect(yield* texts).toHaveLength(20)
      const { stdout } = yield* alone(["results", file, "--journal", "postgres"], { env })
      expect(stdout.match(/,sent,/g)).toHaveLength(20)
      const stop = `${file}.stop.txt`
      writeFileSync(stop, "+15550001000\n")
      expect((yield* command([...sends, "--exclude", stop], { env })).code).toBe(0)
      const without = yield* alone(["results", file, "--journal", "postgres"], { env })
      expect(without.stderr).toContain("has a stop list, and this command has none")
      const pipe = ["run", "-", "--yes", "--campaign", "pipe"]
      const stdin = ["key,recipient,message\norder-1,+15550000500,Hello\n"]
      const { stderr } = yield* command(pipe, { env, stdin })
      expect(stderr).toMatch(/messaging-topup resolve --journal postgres --id \d+$/m)
    }).pipe(onSandbox)
  )
)

it.live(
  "after a failover, a campaign is looked up, and goes on once a person accepts it",
  onPostgres(({ port }) =>
    Effect.gen(function* () {
      const env = { [variable]: urlOf(port) }
      const { file } = yield* fileOf(csvOf(10))
      const database = PgClient.layer(configOf(port))
      yield* Effect.provide(dropSchema, database)
      const sends = ["run", file, "--yes"]
      const accepts = ["init", "--accept-failover", "--yes"]
      expect((yield* alone(["init", "--yes"], { env })).code).toBe(0)
      expect((yield* command(sends, { env })).code).toBe(0)
      expect((yield* alone(accepts, { env })).stderr).toContain("no other server took over")
      yield* Effect.provide(anotherServer, database)
      writeFileSync(file, csvOf(20))
      const reading = {
        sends: ["sends"],
        unknown: ["sends", "--unknown"],
        results: ["results", file],
        report: ["report", file],
        plan: ["run", file, "--dry-run"],
        to: ["sends", "--unknown", "--to", "0555 1000001"]
      }
      const lost = ["--campaign", "lost"]
      const missing = {
        results: ["results", file, ...lost],
        report: ["report", ...lost],
        resolve: ["resolve", ...lost, "--sent"],
        id: ["resolve", "--id", "999", "--sent"],
        row: ["resolve", file, "--line", "20", "--sent"],
        prune: ["prune", ...lost, "--yes"]
      }
      for (const args of Object.values(missing)) {
        const { code, stderr } = yield* alone(args, { env })
        expect([code, stderr]).toEqual([
          1,
          expect.stringContaining("another database server took over")
        ])
      }
      const read = Effect.forEach(Object.values(reading), (args) => alone(args, { env }))
      const [, , results] = yield* read
      expect(results?.stdout.match(/,sent,/g)).toHaveLength(10)
      for (const { code, stderr } of yield* read) {
        expect([code, stderr]).toEqual([
          1,
          expect.stringContaining("another database server took over")
        ])
      }
      expect((yield* alone(["init", "--yes"], { env })).stderr).toContain(
        `PostgreSQL 127.0.0.1:${port}/postgres: there is a journal`
      )
      const refused = yield* command(sends, { env })
      expect(refused.code).toBe(1)
      expect(refused.stderr).toContain("--accept-failover")
      expect(yield* texts).toHaveLength(10)
      const typed = { env, columns: 80, stdin: ["n\n"] }
      expect((yield* alone(["init", "--accept-failover"], typed)).code).toBe(1)
      expect((yield* command(sends, { env })).code).toBe(1)
      expect(yield* alone(accepts, { env })).toMatchObject({
        code: 0,
        events: [{ event: "Accepted", journal: `PostgreSQL 127.0.0.1:${port}/postgres` }]
      })
      for (const { code, stderr } of yield* read) {
        expect([code, stderr]).toEqual([0, expect.not.stringContaining("took over")])
      }
      expect((yield* alone(accepts, { env })).code).toBe(1)
      expect((yield* command(sends, { env })).code).toBe(0)
      expect(yield* texts).toHaveLength(20)
    }).pipe(onSandbox)
  )
)

it.live(
  "a failover in a run ends it with what it sent, and with the exit code of one that stopped",
  onPostgres(({ failOver, port }) =>
    Effect.gen(function* () {
      const env = { [variable]: urlOf(port) }
      const { file } = yield* fileOf(csvOf(60))
      const database = PgClient.layer(configOf(port))
      yield* Effect.provide(dropSchema, database)
      expect((yield* alone(["init", "--yes"], { env })).code).toBe(0)
      const { requests, setFault, until } = yield* Sandbox
      yield* setFault({ fault: "Slow", seconds: 0.2 })
      const args = ["run", file, "--yes", "--concurrency", "2"]
      const running = yield* Effect.forkChild(command(args, { env }))
      yield* until((state) => state.requests.length >= 6)
      yield* Effect.promise(() => failOver(async () => undefined))
      const { code, events, stderr } = yield* Fiber.join(running)
      const sent = (yield* requests()).length
      const lost = events.findLast(({ event }) => event === "OutcomesLost")?.["rows"]
      expect(lost).toBeGreaterThan(0)
      expect(events.at(-1)).toMatchObject({
        event: "Ended",
        state: "stopped",
        stop: { reason: "JournalUnavailable" },
        sent_now: sent - Number(lost),
        sent: sent - Number(lost),
        unknown: lost,
        not_sent: 60 - sent
      })
      expect(code).toBe(4)
      expect(stderr).toContain("another database server took over")
      expect(stderr.split("\n").at(-2)).toBe(failedOver(Number(lost)))
      expect(stderr).not.toMatch(/no run sends|To go on/)
    }).pipe(onSandbox)
  )
)

it.live(
  "a failover before the signal that ends a run is told with what may be sent again",
  onPostgres(({ failOver, port }) =>
    Effect.gen(function* () {
      const env = { [variable]: urlOf(port) }
      const { file } = yield* fileOf(csvOf(20))
      yield* Effect.provide(dropSchema, PgClient.layer(configOf(port)))
      expect((yield* alone(["init", "--yes"], { env })).code).toBe(0)
      const { setFault, until } = yield* Sandbox
      yield* setFault({ fault: "Slow", seconds: 5 })
      const running = yield* start(["run", file, "--yes"], env)
      yield* until(({ requests }) => requests.length > 0)
      yield* Effect.promise(() => failOver(async () => undefined))
      running.kill("SIGTERM")
      const { code, events, stderr } = yield* running.ended
      expect(code).toBe(4)
      expect(events.at(-2)).toEqual({ event: "OutcomesLost", rows: 1 })
      expect(stderr.split("\n").at(-2)).toBe(failedOver(1))
      expect(stderr).not.toMatch(/no run sends|To go on/)
    }).pipe(onSandbox)
  )
)

it.live(
  "a run that misses its SMS in PostgreSQL asks for a newer file only if there is one",
  onPostgres(({ port }) =>
    Effect.gen(function* () {
      const env = { [variable]: urlOf(port) }
      const { file } = yield* fileOf(csvOf(20))
      const database = PgClient.layer(configOf(port))
      yield* Effect.provide(dropSchema, database)
      expect((yield* alone(["init", "--yes"], { env })).code).toBe(0)
      const { setFault, until } = yield* Sandbox
      yield* setFault({ fault: "Slow", seconds: 2, times: 1 })
      const running = yield* Effect.forkChild(command(["run", file, "--yes"], { env }))
      yield* until(({ requests }) => requests.length > 0)
      const restored = Effect.flatMap(
        PgClient.PgClient,
        (sql) => sql`delete from messaging_topup_journal.send`
      )
      yield* Effect.provide(restored, database)
      const { code, stderr } = yield* Fiber.join(running)
      expect(code).toBe(4)
      expect(stderr.split("\n").at(-2)).toBe(
        "At least 1 SMS of this run is not in the journal: an older copy took its place (an older file, a restored dump, or a server that took over): stop everything (also cron), and do not run this again before what went out is taken out of the list, because no journal has all of it: compare the service with results; if there is a newer file, keep the older one, put the newer one back, and take results of both (--journal)"
      )
    }).pipe(onSandbox)
  )
)

it.live(
  "a signal while PostgreSQL is locked ends the run, and says until when nothing sends what is unknown",
  onPostgres(({ port }) =>
    Effect.gen(function* () {
      const env = { [variable]: urlOf(port) }
      const { file } = yield* fileOf(csvOf(20))
      const database = PgClient.layer(configOf(port))
      yield* Effect.provide(dropSchema, database)
      expect((yield* alone(["init", "--yes"], { env })).code).toBe(0)
      const { setFault, until } = yield* Sandbox
      yield* setFault({ fault: "Slow", seconds: 1 })
      const running = yield* start(["run", file, "--yes"], env)
      yield* until(({ requests }) => requests.length > 0)
      const hold = Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`lock table messaging_topup_journal.send`
        running.kill("SIGTERM")
        return yield* running.ended
      })
      const locked = Effect.flatMap(PgClient.PgClient, (sql) => sql.withTransaction(hold))
      const { stderr } = yield* Effect.provide(locked, database)
      expect(stderr).toContain(
        "Stopped without the journal: the outcomes of 1 SMS could not be stored. They are unknown, and no run sends them again before a person decides, unless an older copy takes its place (a file, a dump or a server)\nTo go on"
      )
    }).pipe(onSandbox)
  )
)
