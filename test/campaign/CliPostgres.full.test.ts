import * as PgClient from "@effect/sql-pg/PgClient"
import { expect, it } from "@effect/vitest"
import { openJournal } from "@messaging-topup/journal/promise"
import * as Effect from "effect/Effect"
import { alone, command, csvOf, fileOf, onSandbox, texts } from "../harness/Command.ts"
import { dropSchema, postgres, urlOf } from "../harness/journal/PostgresServer.ts"
import { configOf } from "../harness/journal/JournalOf.ts"

const onPostgres = postgres()

const variable = "MESSAGING_TOPUP_JOURNAL"

/** As after a failover: the journal knows another server than the one that it is on. */
const anotherServer = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql`update messaging_topup_journal.setting set value = '' where name = 'server'`
)

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
      expect((yield* command([...sends, "--new-journal"], { env })).code).toBe(0)
      expect(yield* texts).toHaveLength(20)
      const { stdout } = yield* alone(["results", file, "--journal", "postgres"], { env })
      expect(stdout.match(/,sent,/g)).toHaveLength(20)
    }).pipe(onSandbox)
  )
)

it.live(
  "after a failover, a campaign is looked up, and goes on once a person accepts it",
  onPostgres(({ port }) =>
    Effect.gen(function* () {
      const env = { [variable]: urlOf(port) }
      const { file } = yield* fileOf(csvOf(20))
      const database = PgClient.layer(configOf(port))
      yield* Effect.provide(dropSchema, database)
      const sends = ["run", file, "--yes"]
      expect((yield* command([...sends, "--new-journal", "--limit=10"], { env })).code).toBe(0)
      yield* Effect.provide(anotherServer, database)
      const { stdout } = yield* alone(["results", file], { env })
      expect(stdout.match(/,sent,/g)).toHaveLength(10)
      const looks = ["run", file, "--dry-run", "--accept-failover"]
      expect((yield* alone(looks, { env })).code).toBe(0)
      expect((yield* alone(["report", file, "--accept-failover"], { env })).code).toBe(2)
      const refused = yield* command(sends, { env })
      expect(refused.code).toBe(1)
      expect(refused.stderr).toContain("--accept-failover")
      expect(yield* texts).toHaveLength(10)
      expect((yield* command([...sends, "--accept-failover"], { env })).code).toBe(0)
      expect(yield* texts).toHaveLength(20)
    }).pipe(onSandbox)
  )
)

it.live(
  "a program goes on after a failover once a person has accepted it",
  onPostgres(({ port }) =>
    Effect.gen(function* () {
      const database = PgClient.layer(configOf(port))
      yield* Effect.provide(dropSchema, database)
      const resolve = Effect.promise(async () => {
        const settings = { baseUrl: "http://127.0.0.1:1", token: "token" }
        await using campaigns = openJournal({ ...settings, journal: urlOf(port) })
        return await campaigns.resolve({ campaign: "c" }, "sent").catch((error: unknown) => error)
      })
      const none = { changed: 0, meanwhile: 0 }
      expect(yield* resolve).toEqual(none)
      yield* Effect.provide(anotherServer, database)
      expect(yield* resolve).toMatchObject({ problem: "failed-over" })
      const env = { [variable]: urlOf(port) }
      const accepts = ["prune", "--older-than", "100 days", "--yes", "--accept-failover"]
      expect((yield* alone(accepts, { env })).code).toBe(0)
      expect(yield* resolve).toEqual(none)
    })
  )
)

it.live("the error of a missing database is one line, without its address", () =>
  Effect.gen(function* () {
    const env = { [variable]: "postgres://journal:secret@127.0.0.1:1/postgres" }
    const args = ["report", "--campaign", "rows", "--journal", "postgres"]
    const { code, stderr } = yield* alone(args, { env })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^The journal is not available/)
    expect(stderr).not.toMatch(/secret|127/)
  })
)
