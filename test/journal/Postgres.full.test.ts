import * as PgClient from "@effect/sql-pg/PgClient"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { MessagingTopup } from "@messaging-topup/core"
import { acceptFailover, SendJournal } from "@messaging-topup/journal/internal"
import { layer } from "@messaging-topup/journal/open"
import * as Postgres from "@messaging-topup/journal/postgres"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Sandbox } from "@messaging-topup/sandbox"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { inspect } from "node:util"
import { certificateFor } from "../harness/Certificate.ts"
import { commandFile } from "../harness/Bundled.ts"
import { conformanceTests } from "../harness/journal/Conformance.ts"
import { rejected } from "../harness/journal/conformance/CampaignTests.ts"
import { claimed, tryToClaim } from "../harness/journal/conformance/ServerTests.ts"
import { explore } from "../harness/journal/ModelChecker.ts"
import {
  dropSchema,
  noPostgres,
  type PostgresServer,
  startPostgresOfTests
} from "../harness/journal/PostgresServer.ts"
import { postgresProxy } from "../harness/journal/PostgresProxy.ts"
import { runNode } from "../harness/Process.ts"
import { folder } from "../harness/TemporaryFolder.ts"
import { start } from "../harness/journal/Programs.ts"
import { expectShared } from "../harness/journal/Replicas.ts"
import { sendModel } from "../harness/journal/SendModel.ts"
import { service } from "../harness/journal/Service.ts"
import { onPostgres } from "../harness/journal/Stores.ts"
import { postgresTime } from "../harness/journal/Time.ts"

if (noPostgres !== undefined) console.warn(`The tests on PostgreSQL are skipped: ${noPostgres}`)

let server: PostgresServer
beforeAll(async () => {
  if (noPostgres === undefined) server = await startPostgresOfTests()
})
afterAll(() => server?.stop())

/** A journal in an empty database. */
const journal = (config: Partial<PgClient.PgPoolConfig> = {}) =>
  Postgres.layer.pipe(
    Layer.provide(Layer.effectDiscard(dropSchema)),
    Layer.provideMerge(PgClient.layer({ ...server.config, ...config }))
  )

const urlOf = (user = "journal") => `postgres://${user}@127.0.0.1:${server.port}/postgres`

/** Uses the journal as another process that starts now. */
const afterStart = <A, E>(effect: Effect.Effect<A, E, SendJournal>, user?: string) =>
  Effect.provide(effect, layer(urlOf(user)), { local: true })

const counts = Effect.flatMap(SendJournal, ({ campaigns }) => campaigns.counts("c"))

/** The error of a journal that cannot be opened. */
const refusal = (config: Partial<PgClient.PgPoolConfig> = {}) =>
  Effect.flip(
    Effect.scoped(
      Layer.build(
        Layer.fresh(
          Postgres.layer.pipe(Layer.provide(PgClient.layer({ ...server.config, ...config })))
        )
      )
    )
  )

const lost = new SqlError({ reason: new ConnectionError({ cause: new Error("lost") }) })

/** A client that reports each write as failed once, after it was committed. */
const losingAcknowledgements = (config: PgClient.PgPoolConfig) => {
  const losing = (client: PgClient.PgClient): PgClient.PgClient => {
    let writes = 0
    const lose = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.tap(effect, () => (++writes % 2 === 1 ? Effect.fail(lost) : Effect.void))
    return Object.assign(Object.create(client), {
      withTransaction: <A, E>(effect: Effect.Effect<A, E>) => lose(client.withTransaction(effect)),
      unsafe: (...args: Parameters<PgClient.PgClient["unsafe"]>) => {
        const statement = client.unsafe(...args)
        return args[0].startsWith("with settings")
          ? { withoutTransform: lose(statement.withoutTransform) }
          : statement
      }
    })
  }
  return PgClient.layerFrom(Effect.map(PgClient.make(config), losing))
}

/** A client that tells when a statement fails. */
const watching = (client: PgClient.PgClient, onFailure: () => void): PgClient.PgClient =>
  Object.assign(Object.create(client), {
    unsafe: (...args: Parameters<PgClient.PgClient["unsafe"]>) => ({
      withoutTransform: Effect.tapError(client.unsafe(...args).withoutTransform, () =>
        Effect.sync(onFailure)
      )
    })
  })

const sql = Effect.fnUntraced(function* (statement: string) {
  const client = yield* PgClient.PgClient
  return yield* client.unsafe<Record<string, unknown>>(statement)
})

const sms = { recipient: "+15550101234", message: "Hello" }

const keyed = (key: string) => ({ key: `c/${key}`, digest: "r" })

const rowOf = (key: string, attempt = 0, mayRepeat = true) =>
  Effect.map(SendJournal, ({ describe: described }) => ({
    ...described(keyed(key), sms),
    attempt,
    mayRepeat
  }))

/** Another call may have sent it by now. */
const mayNotWrite = { _tag: "JournalUnavailable", problem: "no-right", sendOutcome: "unknown" }

const batch = { settle: [], claim: [], ticket: "t", timeoutMillis: 0 }

const claimRows = Effect.fnUntraced(function* (...keys: ReadonlyArray<string>) {
  const { campaigns } = yield* SendJournal
  const { rows } = yield* campaigns.write("c", {
    ...batch,
    claim: yield* Effect.forEach(keys, (key) => rowOf(key)),
    ticket: keys.join()
  })
  return rows.flatMap((row) => (typeof row === "object" ? [row] : []))
})

/** Claims a key as another process does. */
const inserting = (key: string, attempt: number, from: string) =>
  `insert into messaging_topup_journal.send
    (key, attempt, owner, ticket, request, recipient, content, state, claimed_at, stale_at)
  select '${key}', ${attempt}, owner, 'another', request, 'somebody', content, 'claimed', claimed_at, stale_at
  ${from}`

/** What waits for a lock. */
const waiting = sql("select 1 from pg_stat_activity where wait_event_type = 'Lock'")

/** Runs an effect while another process has not yet committed a statement, and it waits for that. */
const whileHeld = <A, E, R, E2 = never, R2 = never>(
  statement: string,
  effect: Effect.Effect<A, E, R>,
  meanwhile: Effect.Effect<unknown, E2, R2> = Effect.void
) =>
  Effect.gen(function* () {
    const client = yield* PgClient.PgClient
    const isHeld = yield* Deferred.make<void>()
    const ends = yield* Deferred.make<void>()
    const other = sql(statement).pipe(
      Effect.andThen(Deferred.succeed(isHeld, undefined)),
      Effect.andThen(Deferred.await(ends))
    )
    const holding = yield* Effect.forkChild(client.withTransaction(other))
    yield* Deferred.await(isHeld)
    const started = yield* Effect.forkChild(effect)
    yield* Effect.repeat(waiting, {
      until: (rows) => rows.length > 0 || started.pollUnsafe() !== undefined
    })
    yield* meanwhile
    yield* Deferred.succeed(ends, undefined)
    yield* Fiber.join(holding)
    return yield* Fiber.join(started)
  })

describe.skipIf(noPostgres !== undefined)("a journal in PostgreSQL", () => {
  it.effect.each(conformanceTests)("%s", ([, test]) =>
    Effect.provide(
      test,
      Layer.merge(
        Layer.suspend(() => Layer.provideMerge(postgresTime, journal())),
        service
      )
    )
  )

  it.live("keeps the rule in every order of steps", () =>
    Effect.gen(function* () {
      yield* Effect.provide(dropSchema, PgClient.layer(server.config))
      const store = yield* onPostgres(server.config)
      const { problem, states } = yield* Effect.promise(() =>
        explore(sendModel(store, { senders: 2, decisions: 1, losses: 1 }, (late) => late === 0))
      )
      console.log(`${states} states on PostgreSQL`)
      expect(problem?.what, problem?.path.join("; ")).toBeUndefined()
    })
  )

  it.live("is created once, even if several processes start at once", () =>
    Effect.gen(function* () {
      yield* dropSchema
      const starts = Array.from({ length: 5 }, () =>
        Effect.scoped(Layer.build(Layer.fresh(Postgres.layer)))
      )
      yield* Effect.all(starts, { concurrency: "unbounded" })
      const rows = yield* sql("select name from messaging_topup_journal.setting order by name")
      expect(rows).toEqual([{ name: "digest" }, { name: "server" }, { name: "version" }])
    }).pipe(Effect.provide(PgClient.layer(server.config)))
  )

  it.live("shares limits, approvals and single sends between replicas", () =>
    Effect.gen(function* () {
      yield* Effect.provide(dropSchema, PgClient.layer(server.config))
      yield* expectShared(Postgres.layer.pipe(Layer.provide(PgClient.layer(server.config))))
    }).pipe(Effect.scoped, Effect.provide(service))
  )

  it.live("does nothing twice when the acknowledgement of a commit is lost", () =>
    Effect.gen(function* () {
      const { campaigns, server: sends, settle } = yield* SendJournal
      const claims = yield* claimRows("a", "b")
      expect(claims.map(({ key }) => key)).toEqual(["c/a", "c/b"])
      for (const claim of claims) yield* settle(claim, { state: "nothing" })
      expect(yield* claimRows("a")).toHaveLength(1)
      expect(yield* campaigns.counts("c")).toMatchObject({ "in-flight": 1 })
      const approval = { nonce: "n", validFor: Duration.hours(1) }
      yield* claimed("k", { approval, maxPerHour: 1 })
      expect(yield* sends.recent({ limit: 9 })).toMatchObject([{ key: "k", state: "in-flight" }])
    }).pipe(
      Effect.provide(
        Postgres.layer.pipe(
          Layer.provide(Layer.effectDiscard(dropSchema)),
          Layer.provide(Layer.suspend(() => losingAcknowledgements(server.config)))
        )
      )
    )
  )

  it.live("needs no right to create a schema once it exists", () =>
    Effect.gen(function* () {
      yield* sql("create role worker login")
      yield* sql("grant usage on schema messaging_topup_journal to worker")
      yield* sql(
        "grant select, insert, update, delete on all tables in schema messaging_topup_journal to worker"
      )
      const asWorker = Postgres.layer.pipe(
        Layer.provide(PgClient.layer({ ...server.config, username: "worker" }))
      )
      const claims = yield* Effect.provide(claimRows("a"), Layer.fresh(asWorker))
      expect(claims).toHaveLength(1)
    }).pipe(Effect.provide(Layer.suspend(journal)))
  )

  it.live.each([
    "grant create on database postgres to maker",
    "create schema messaging_topup_journal authorization maker"
  ])("names what a role lacks that may not create it, which is enough: %s", (grant) =>
    Effect.gen(function* () {
      yield* dropSchema
      yield* sql("create role maker login")
      yield* Effect.gen(function* () {
        // What people try first.
        yield* sql("grant all on schema public to maker")
        yield* sql("grant connect, temporary on database postgres to maker")
        yield* sql("grant pg_write_all_data to maker")
        const refused = yield* refusal({ username: "maker" })
        expect(refused).toMatchObject({ problem: "no-right", code: "42501" })
        expect(refused.message).toContain(grant.replace(/ (postgres to )?maker$/, " …"))
        yield* sql(grant)
        const asMaker = PgClient.layer({ ...server.config, username: "maker" })
        const claims = claimRows("a").pipe(
          Effect.provide(Layer.fresh(Layer.provideMerge(Postgres.layer, asMaker)))
        )
        expect(yield* claims).toHaveLength(1)
      }).pipe(
        Effect.ensuring(
          Effect.orDie(Effect.andThen(sql("drop owned by maker"), sql("drop role maker")))
        )
      )
    }).pipe(Effect.provide(PgClient.layer(server.config)))
  )

  it.live("as a role that may only read, it is looked up, and takes no send", () =>
    Effect.gen(function* () {
      const { campaigns, sendOnce } = yield* SendJournal
      yield* campaigns.begin("c")
      yield* sendOnce({ campaign: "c", key: "k" }, sms)
      yield* sql("create role reader login")
      yield* sql("grant usage on schema messaging_topup_journal to reader")
      yield* sql("grant select on all tables in schema messaging_topup_journal to reader")
      const asReader = Postgres.layer.pipe(
        Layer.provide(PgClient.layer({ ...server.config, username: "reader" }))
      )
      yield* Effect.gen(function* () {
        const reader = yield* SendJournal
        expect(yield* reader.campaigns.counts("c")).toMatchObject({ sent: 1 })
        const earlier = reader.sendOnce({ campaign: "c", key: "k" }, sms)
        expect(yield* earlier).toMatchObject({ isEarlier: true })
        expect(yield* Effect.flip(reader.sendOnce("new", sms))).toMatchObject(mayNotWrite)
      }).pipe(Effect.provide(Layer.fresh(asReader)))
      expect(yield* (yield* Sandbox).requests()).toHaveLength(1)
    }).pipe(Effect.provide([Layer.suspend(journal), service]))
  )

  const setVersion = (version: number) =>
    `update messaging_topup_journal.setting set value = '${version}' where name = 'version'`

  it.live.each([
    ["unreleased-version", setVersion(2)],
    ["unreleased-version", setVersion(3)],
    ["unreleased-version", setVersion(10)],
    ["other-version", setVersion(99)],
    ["incomplete", "delete from messaging_topup_journal.setting where name = 'version'"],
    ["incomplete", "delete from messaging_topup_journal.setting where name = 'digest'"],
    ["incomplete", "drop table messaging_topup_journal.setting"],
    ["incomplete", "drop table messaging_topup_journal.campaign"],
    ["incomplete", "drop index messaging_topup_journal.send_key"]
  ] as const)("is refused if it is of another version, or lost a part: %s, %s", ([problem, lose]) =>
    Effect.gen(function* () {
      yield* claimRows("a")
      yield* sql(lose)
      const columns = sql(`select table_name, column_name from information_schema.columns
        where table_schema = 'messaging_topup_journal' order by 1, 2`)
      // Each change of a row has a number of its own.
      const sends = sql("select xmin::text, key from messaging_topup_journal.send")
      const before = yield* Effect.all([columns, sends])
      expect(yield* refusal()).toMatchObject({ _tag: "JournalUnavailable", problem })
      expect(yield* Effect.all([columns, sends])).toEqual(before)
    }).pipe(Effect.provide(Layer.suspend(journal)))
  )

  it.live("commits a claim even inside a transaction of the caller that fails", () =>
    Effect.gen(function* () {
      const client = yield* PgClient.PgClient
      const { campaigns } = yield* SendJournal
      const claims = Effect.andThen(claimRows("a"), claimed("k"))
      yield* Effect.flip(
        client.withTransaction(Effect.andThen(claims, Effect.fail("rolled back" as const)))
      )
      expect(yield* campaigns.counts("c")).toMatchObject({ "in-flight": 1 })
      expect((yield* tryToClaim("k"))._tag).toBe("InTheWay")
    }).pipe(Effect.provide(Layer.suspend(journal)))
  )

  it.live("is durable even if the session's commits are asynchronous", () =>
    Effect.gen(function* () {
      const { settle } = yield* SendJournal
      const isFlushed =
        "select pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() as flushed"
      yield* claimRows("a")
      expect(yield* sql(isFlushed)).toEqual([{ flushed: true }])
      const claim = yield* claimed("k")
      expect(yield* sql(isFlushed)).toEqual([{ flushed: true }])
      yield* settle(claim, { state: "unknown" })
      expect(yield* sql(isFlushed)).toEqual([{ flushed: true }])
    }).pipe(
      Effect.provide(
        Layer.suspend(() =>
          journal({ maxConnections: 1, startupParameters: { synchronous_commit: "off" } })
        )
      )
    )
  )

  it.live("does not wait for a process that is frozen inside a transaction", () =>
    Effect.gen(function* () {
      const frozen = yield* start("freeze.ts", String(server.port))
      yield* Effect.repeat(
        sql("select 1 from pg_stat_activity where state = 'idle in transaction'"),
        { until: (rows) => rows.length > 0 }
      )
      yield* claimed("k", { maxPerHour: 9 })
      frozen.kill("SIGCONT")
      // Its transaction was ended, so it looks again.
      expect(yield* Effect.promise(frozen.nextLine)).toBe("InTheWay")
    }).pipe(Effect.scoped, Effect.provide(Layer.suspend(journal)))
  )

  it.live(
    "does not wait forever for a server that hangs, neither in one statement nor in several",
    () =>
      Effect.gen(function* () {
        const { check } = yield* SendJournal
        yield* check(false)
        const goOn = server.freeze()
        const unreachable = { _tag: "JournalUnavailable", problem: "unreachable" }
        const claims = [claimed("k", { maxPerHour: 9 }), claimed("l", {})]
        const each = [Effect.flip(check(false)), ...claims.map((claim) => Effect.flip(claim))]
        const failures = Effect.all(each, { concurrency: "unbounded" })
        yield* Effect.ensuring(
          Effect.map(failures, (all) => expect(all).toMatchObject(each.map(() => unreachable))),
          Effect.sync(goOn)
        )
        yield* check(true)
      }).pipe(Effect.provide([Layer.suspend(journal), service]))
  )

  it.live("does not wait forever for a lock, neither in one statement nor in several", () =>
    Effect.gen(function* () {
      const client = yield* PgClient.PgClient
      const { campaigns } = yield* SendJournal
      const settle = (yield* claimRows("a")).map((claim) => ({
        claim,
        stored: { state: "unknown" } as const
      }))
      const { resolve } = yield* SendJournal
      yield* claimRows("b")
      const writes: ReadonlyArray<Effect.Effect<void, unknown>> = [
        Effect.asVoid(campaigns.write("c", { ...batch, settle })),
        Effect.asVoid(resolve({ campaign: "c", keys: ["b"] }, "sent"))
      ]
      const holding = sql("select * from messaging_topup_journal.send for update").pipe(
        Effect.andThen(Effect.forEach(writes, Effect.flip, { concurrency: 2 }))
      )
      for (const error of yield* client.withTransaction(holding)) {
        expect(error).toMatchObject({ _tag: "JournalLocked", waitedSeconds: 10 })
      }
      const closed = sql("lock table messaging_topup_journal.send").pipe(
        Effect.andThen(Effect.flip(campaigns.counts("c")))
      )
      expect(yield* client.withTransaction(closed)).toMatchObject({ _tag: "JournalLocked" })
    }).pipe(Effect.provide(Layer.suspend(journal)))
  )

  describe("sees what another process commits while it waits for it:", () => {
    /** A row that a person has freed. */
    const freed = Effect.gen(function* () {
      const { resolve, settle } = yield* SendJournal
      for (const claim of yield* claimRows("a")) yield* settle(claim, { state: "unknown" })
      expect(yield* resolve({ campaign: "c" }, "resend")).toMatchObject({ changed: 1 })
    })

    it.live("a row is not claimed after all if a person says that it was sent", () =>
      Effect.gen(function* () {
        yield* freed
        const { campaigns } = yield* SendJournal
        const again = { ...batch, claim: [yield* rowOf("a", 1)] }
        const decision = "update messaging_topup_journal.send set state = 'sent'"
        expect((yield* whileHeld(decision, campaigns.write("c", again))).rows).toMatchObject([
          "elsewhere"
        ])
      }).pipe(Effect.provide(Layer.suspend(journal)))
    )

    it.live("a decision is not taken back after the next claim", () =>
      Effect.gen(function* () {
        yield* freed
        const { decidable, resolve } = yield* SendJournal
        const next = inserting("c/a", 1, "from before")
        const before = "select * from messaging_topup_journal.send where key = 'c/a' for update"
        const [{ id } = { id: 0 }] = yield* decidable({ campaign: "c", was: "resend" })
        const decided = resolve({ ids: [id], was: "resend" }, "not-sent")
        expect(yield* whileHeld(`with before as (${before}) ${next}`, decided)).toEqual({
          changed: 0,
          meanwhile: 1
        })
      }).pipe(Effect.provide(Layer.suspend(journal)))
    )

    it.live("an approved second send is not one of what a person says was sent", () =>
      Effect.gen(function* () {
        const { settle } = yield* SendJournal
        yield* settle(yield* claimed("k"), { state: "unknown" })
        const decision = "update messaging_topup_journal.send set state = 'sent', decided_at = 1"
        const again = tryToClaim("k", {
          asShown: { attempt: 1, state: "unknown", newestTold: 0 }
        })
        expect((yield* whileHeld(decision, again))._tag).toBe("InTheWay")
      }).pipe(Effect.provide(Layer.suspend(journal)))
    )

    it.live("a first claim that another process was faster with is told as it stands", () =>
      Effect.gen(function* () {
        yield* claimed("other")
        const faster = inserting("k", 0, "from messaging_topup_journal.send")
        expect(yield* whileHeld(faster, tryToClaim("k"))).toMatchObject({
          _tag: "InTheWay",
          standing: { state: "in-flight", attempt: 1 }
        })
      }).pipe(Effect.provide(Layer.suspend(journal)))
    )

    it.live.each([
      ["a", "b"],
      ["b", "a"]
    ])("a write that waits for one row has claimed none that comes later: %j", (keys) =>
      Effect.gen(function* () {
        const { campaigns } = yield* SendJournal
        yield* claimRows("x")
        const claim = yield* Effect.forEach(keys, (key) => rowOf(key))
        const faster = inserting("c/a", 0, "from messaging_topup_journal.send")
        let other: ReadonlyArray<object> = []
        // It would wait for the first write, and that for what it holds.
        const meanwhile = Effect.map(Effect.option(claimRows("b")), (claims) => {
          other = Option.getOrElse(claims, () => [])
        })
        const write = campaigns.write("c", { ...batch, claim })
        expect((yield* whileHeld(faster, write, meanwhile)).rows).toEqual([
          "elsewhere",
          "elsewhere"
        ])
        expect(other).toMatchObject([{ key: "c/b" }])
      }).pipe(Effect.provide(Layer.suspend(journal)))
    )

    /** The writes that may make another row a second SMS to somebody. Each waits for a row that is held. */
    const writes: Readonly<
      Record<string, Effect.Effect<unknown, unknown, MessagingTopup | SendJournal>>
    > = {
      "a single send of a program": Effect.flatMap(SendJournal, ({ sendOnce }) =>
        sendOnce({ campaign: "c", key: "rejected" }, sms)
      ),
      "a single send of the server": claimed("rejected", { request: sms }),
      "rows that may repeat": Effect.gen(function* () {
        const { campaigns } = yield* SendJournal
        return yield* campaigns.write("c", { ...batch, claim: [yield* rowOf("rejected", 2)] })
      }),
      "a decision that it was sent": Effect.flatMap(SendJournal, ({ resolve }) =>
        resolve({ campaign: "c", was: "resend" }, "sent")
      )
    }

    it.live.each(Object.entries(writes))(
      "a row that asks waits for the end of %s, and is refused",
      ([, write]) =>
        Effect.gen(function* () {
          const { campaigns, settle } = yield* SendJournal
          yield* freed
          for (const attempt of [0, 1]) {
            const { rows } = yield* campaigns.write("c", {
              ...batch,
              claim: [yield* rowOf("rejected", attempt)],
              ticket: `row ${attempt}`
            })
            const refused = [...rows, yield* claimed("rejected", { request: sms })]
            for (const claim of refused)
              if (typeof claim === "object") yield* settle(claim, rejected)
          }
          const asks = campaigns.write("c", {
            ...batch,
            claim: [yield* rowOf("asks", 0, false)],
            ticket: "asks"
          })
          let asking: Fiber.Fiber<Effect.Success<typeof asks>, unknown> | undefined
          const meanwhile = Effect.gen(function* () {
            const started = yield* Effect.forkScoped(asks)
            asking = started
            yield* Effect.repeat(waiting, {
              until: (rows) => rows.length > 1 || started.pollUnsafe() !== undefined
            })
          })
          // A first attempt, which a single send tries at once, waits for nothing.
          const held = `select * from messaging_topup_journal.send
            where attempt > 0 or state = 'freed' for update`
          yield* whileHeld(held, write, meanwhile)
          const { rows = [] } = asking === undefined ? {} : yield* Fiber.join(asking)
          expect(rows).toMatchObject(["repeated"])
        }).pipe(Effect.scoped, Effect.provide([Layer.suspend(journal), service]))
    )
  })

  it.live("reads by its indexes before PostgreSQL knows how many rows there are", () =>
    Effect.gen(function* () {
      const client = yield* PgClient.PgClient
      const ran = new Array<Parameters<typeof client.unsafe>>()
      const noting: PgClient.PgClient = Object.assign(Object.create(client), {
        unsafe: (...args: Parameters<typeof client.unsafe>) => {
          ran.push(args)
          return client.unsafe(...args)
        }
      })
      const table = "messaging_topup_journal.send"
      yield* claimRows("a")
      yield* sql(`alter table ${table} set (autovacuum_enabled = false)`)
      yield* sql(
        inserting("other ' || n || '", 0, `from ${table}, generate_series(1, 200000) as n`)
      )
      const run = Effect.gen(function* () {
        const { campaigns, decidable, server: sends } = yield* SendJournal
        ran.splice(0)
        const claims = yield* claimRows("b", "d")
        yield* campaigns.write("c", {
          ...batch,
          settle: claims.map((claim) => ({ claim, stored: { state: "unknown" } }))
        })
        yield* campaigns.look([keyed("b")])
        expect(yield* decidable({ campaign: "c" })).toHaveLength(2)
        yield* sends.earlierSends("ann", [{ key: "z", request: sms, state: "free" }])
      })
      const noted = Postgres.layer.pipe(Layer.provide(Layer.succeed(PgClient.PgClient, noting)))
      yield* Effect.provide(run, Layer.fresh(noted))
      const plans = yield* Effect.forEach(
        ran.filter(([statement]) => statement.includes(table)),
        ([statement, params]) => client.unsafe(`explain ${statement}`, params)
      )
      expect(plans).toHaveLength(5)
      // It compiles what it expects to be long, and gives it to several workers.
      expect(JSON.stringify(plans)).not.toMatch(/Gather|Seq Scan on send|Backward/)
      // The search for the same text turns JIT off before.
      expect(JSON.stringify(plans.slice(0, -1))).not.toContain("JIT:")
      // A few numbers with many sends of a server, before statistics say so, and after.
      yield* sql(
        `update ${table} set recipient = 'r' || (id % 100), content = 'c' || id, owner = 'server', caller = 'ann'`
      )
      const search = ran.findLast(([statement]) => statement.includes("except_key"))
      const plan = Effect.map(client.unsafe(`explain ${search?.[0]}`, search?.[1]), (lines) =>
        JSON.stringify(lines)
      )
      const byNumber = /send_recipient.*send_unknown/
      const byAll = /Seq Scan on send|send_server|Gather/
      expect(yield* plan).toMatch(byNumber)
      expect(yield* plan).not.toMatch(byAll)
      yield* sql(`analyze ${table}`)
      expect(yield* plan).toMatch(byNumber)
      expect(yield* plan).not.toMatch(byAll)
    }).pipe(
      // As with a million rows.
      Effect.provide(
        Layer.suspend(() => journal({ startupParameters: { jit_above_cost: "20000" } }))
      )
    )
  )

  it.live("says why it cannot be used: no server, or no free connection", () =>
    Effect.gen(function* () {
      yield* sql("create role visitor login connection limit 0")
      // Both are tried for five seconds.
      const refusals = [refusal({ port: 1 }), refusal({ username: "visitor" })] as const
      const [nowhere, busy] = yield* Effect.all(refusals, { concurrency: 2 })
      expect(nowhere).toMatchObject({ problem: "unreachable" })
      expect(busy).toMatchObject({ problem: "busy", code: "53300" })
      expect(busy.message).toContain("all connections of the database are in use")
    }).pipe(Effect.provide(Layer.suspend(journal)))
  )

  it.live("tries again what the database cancels, and names it if that lasts", () =>
    Effect.gen(function* () {
      yield* sql("create role hurried superuser login")
      yield* sql("alter role hurried set statement_timeout = '100ms'")
      const isCancelled = yield* Deferred.make<void>()
      const asHurried = Effect.map(
        PgClient.make({ ...server.config, username: "hurried" }),
        (client) => watching(client, () => Deferred.doneUnsafe(isCancelled, Effect.void))
      )
      const hurried = Layer.fresh(Postgres.layer.pipe(Layer.provide(PgClient.layerFrom(asHurried))))
      const client = yield* PgClient.PgClient
      const lock = sql("lock table messaging_topup_journal.send")
      yield* Effect.gen(function* () {
        const isHeld = yield* Deferred.make<void>()
        const held = Effect.andThen(lock, Deferred.succeed(isHeld, undefined))
        const holding = yield* Effect.forkChild(
          client.withTransaction(Effect.andThen(held, Deferred.await(isCancelled)))
        )
        yield* Deferred.await(isHeld)
        expect(yield* claimRows("a")).toHaveLength(1)
        yield* Fiber.join(holding)
        const lasting = Effect.andThen(lock, Effect.flip(claimRows("b")))
        const error = yield* client.withTransaction(lasting)
        expect(error).toMatchObject({ problem: "cancelled", code: "57014" })
        expect(error.message).toContain("statement_timeout of its role")
      }).pipe(Effect.provide(hurried))
    }).pipe(Effect.provide(Layer.suspend(journal)))
  )

  it.live("names a pooler in statement mode, which ends each transaction", () =>
    Effect.gen(function* () {
      yield* dropSchema
      const proxy = yield* postgresProxy(server.port)
      proxy.cut((statement) => (/^begin/i.test(statement) ? "before" : undefined))
      const error = yield* refusal({ port: proxy.port })
      expect(error).toMatchObject({ problem: "statement-mode" })
      expect(error.message).toContain("set the pooler to transaction or session mode")
    }).pipe(Effect.provide(PgClient.layer(server.config)))
  )

  it.live("needs no prepared statements", () =>
    Effect.gen(function* () {
      yield* claimRows("a")
      yield* claimed("k")
      yield* sql("deallocate all")
      expect(yield* claimRows("b")).toHaveLength(1)
      expect(yield* sql("select name from pg_prepared_statements")).toEqual([])
    }).pipe(Effect.provide(Layer.suspend(() => journal({ maxConnections: 1, prepare: false }))))
  )

  it.live("stops when another server takes over, until a person lets it go on", () =>
    Effect.gen(function* () {
      yield* claimRows("a")
      const onStandby = yield* Effect.promise(() =>
        server.failOver(() => Effect.runPromise(refusal()))
      )
      expect(onStandby).toMatchObject({ problem: "standby", code: "55000" })
      const failedOver = { _tag: "JournalUnavailable", problem: "failed-over" }
      expect(yield* Effect.flip(claimRows("b"))).toMatchObject(failedOver)
      expect(yield* Effect.flip(claimed("k"))).toMatchObject(failedOver)
      expect(yield* afterStart(Effect.flip(claimRows("b")))).toMatchObject(failedOver)
      expect(yield* afterStart(Effect.flip(claimed("k")))).toMatchObject(failedOver)
      // A person compares what it has with the service.
      expect(yield* counts).toMatchObject({ "in-flight": 1 })
      expect(yield* afterStart(counts)).toMatchObject({ "in-flight": 1 })
      yield* acceptFailover({ _tag: "Postgres", url: Redacted.make(urlOf()) })
      expect(yield* afterStart(claimRows("b"))).toHaveLength(1)
      expect(yield* afterStart(claimRows("c"))).toHaveLength(1)
      // It began before, and has the key of the digests of the journal that it opened, not of another one.
      const digest =
        "update messaging_topup_journal.setting set value = 'x' || value where name = 'digest'"
      yield* sql(digest)
      expect(yield* Effect.flip(claimRows("d"))).toMatchObject(failedOver)
      yield* sql(digest.replace("'x' || value", "substr(value, 2)"))
      expect(yield* claimRows("d")).toHaveLength(1)
      expect(yield* claimed("k")).toMatchObject({})
    }).pipe(Effect.provide(Layer.suspend(journal)))
  )

  it.live("that lacks a send asks for a newer file only if there is one", () =>
    Effect.gen(function* () {
      const logged = new Array<string>()
      const logger = Logger.make<unknown, void>(({ message }) => void logged.push(inspect(message)))
      const { settle } = yield* SendJournal
      const claim = yield* claimed("k")
      // As on a standby that lagged, after a person accepted it.
      yield* sql("delete from messaging_topup_journal.send")
      const settled = settle(claim, { state: "sent", messages: [] })
      yield* Effect.provide(settled, Logger.layer([logger]))
      const error = yield* Effect.flip(claimed("l"))
      expect(error).toMatchObject({ _tag: "JournalUnavailable", problem: "older-copy" })
      expect(logged).toHaveLength(1)
      for (const said of [...logged, error.message]) {
        expect(said).toContain("(an older file, a restored dump, or a server that took over)")
        expect(said).toContain("if there is a newer file, ")
      }
      // There is no row that a person could resolve, and its id may be that of another SMS.
      expect(logged[0]).toContain("otherwise, keep the SMS from going out again")
    }).pipe(Effect.provide(Layer.suspend(journal)))
  )

  it.live("whose dump was restored while nothing was in flight sends nothing more", () =>
    Effect.gen(function* () {
      const { campaigns } = yield* SendJournal
      const restore = server.dump()
      yield* claimed("k")
      yield* claimed("l")
      restore()
      expect(yield* Effect.flip(claimed("k"))).toMatchObject({
        _tag: "JournalUnavailable",
        problem: "older-copy"
      })
      expect(yield* sql("select id from messaging_topup_journal.send")).toEqual([])
      const written = { ...batch, claim: [yield* rowOf("a")], newestId: campaigns.newestId() }
      expect(yield* campaigns.write("c", written)).toMatchObject({ isOlderCopy: true })
    }).pipe(Effect.provide(Layer.suspend(journal)))
  )

  it.live.each([
    "drop schema messaging_topup_journal cascade",
    "alter schema messaging_topup_journal rename to away"
  ])("says that it was removed while it was in use: %s", (removes) =>
    Effect.gen(function* () {
      yield* claimRows("a")
      yield* sql(removes)
      const error = yield* Effect.flip(claimed("k"))
      expect(error).toMatchObject({ problem: "replaced", code: "42P01" })
      expect(error.message).toContain("it was removed or replaced while it was in use: put it back")
      yield* sql("drop schema if exists away cascade")
    }).pipe(Effect.provide(Layer.suspend(journal)))
  )

  it.live("stops in a copy on another server, also with the program's client", () =>
    Effect.gen(function* () {
      const setting = "messaging_topup_journal.setting"
      const where = "where name = 'server' returning value"
      const [before] = yield* sql(`update ${setting} set value = '1' || value ${where}`)
      expect(before?.["value"]).toMatch(/^\d+ [0-9A-F]{8}$/)
      const sent = Effect.provide(claimRows("a"), Layer.fresh(Postgres.layer))
      expect(yield* Effect.flip(sent)).toMatchObject({ problem: "failed-over" })
    }).pipe(Effect.provide(Layer.suspend(journal)))
  )

  it.live("compares nothing on a server that does not say which one it is", () =>
    Effect.gen(function* () {
      yield* sql("update messaging_topup_journal.setting set value = '' where name = 'server'")
      yield* sql("revoke execute on function pg_control_system() from public")
      yield* sql("create role stranger login")
      yield* sql("grant all on schema messaging_topup_journal to stranger")
      yield* sql("grant all on all tables in schema messaging_topup_journal to stranger")
      expect(yield* afterStart(claimRows("a"), "stranger")).toHaveLength(1)
    }).pipe(Effect.provide(Layer.suspend(journal)))
  )
})

describe.skipIf(noPostgres !== undefined)(
  "a PostgreSQL server that asks for TLS and passwords",
  () => {
    const certificate = certificateFor("127.0.0.1")
    let strict: PostgresServer
    beforeAll(async () => {
      if (noPostgres !== undefined) return
      const rules = [
        "host all journal 127.0.0.1/32 trust",
        "host all guest 127.0.0.1/32 scram-sha-256",
        "hostssl all secured 127.0.0.1/32 trust"
      ]
      strict = await startPostgresOfTests({ rules, certificate })
      const roles = Effect.andThen(
        sql("create role guest login password 'right'"),
        sql("create role secured login superuser")
      )
      await Effect.runPromise(Effect.provide(roles, PgClient.layer(strict.config)))
    })
    afterAll(() => strict?.stop())

    const at = (user: string, query = "") =>
      `postgres://${user}@127.0.0.1:${strict.port}/postgres${query}`

    const refused = [
      ["a wrong password", () => at("guest:s3cret"), "login"],
      ["no password", () => at("guest"), "login"],
      ["an unknown user", () => at("somebody:s3cret"), "login"],
      ["no TLS", () => at("secured"), "login"],
      [
        "a certificate of an unknown authority",
        () => at("secured", "?sslmode=require"),
        "certificate"
      ],
      ["sslmode=prefer, too", () => at("secured", "?sslmode=prefer"), "certificate"],
      ["no database of this name", () => `${urlOf()}_none`, "no-database"],
      ["TLS where there is none", () => `${urlOf()}?sslmode=require`, "no-tls"]
    ] as const

    it.live.each(refused)("is named as the cause: %s", ([, url, problem]) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Effect.scoped(Layer.build(layer(url()))))
        expect(error).toMatchObject({ _tag: "JournalUnavailable", problem })
        expect(error.message).toContain("The journal PostgreSQL 127.0.0.1:")
        expect(inspect(error, { depth: Infinity, showHidden: true })).not.toMatch(
          /s3cret|guest|somebody|secured|postgres:/
        )
      })
    )

    it.live("is trusted with the file of its authority in NODE_EXTRA_CA_CERTS", () =>
      Effect.gen(function* () {
        const file = join(yield* folder, "authority.pem")
        writeFileSync(file, certificate.cert)
        const env = { MESSAGING_TOPUP_JOURNAL: at("secured", "?sslmode=verify-full") }
        const create = (more: Readonly<Record<string, string>>) =>
          Effect.promise(() =>
            runNode([commandFile, "init", "--yes", "--journal", "postgres"], {
              env: { ...env, ...more }
            })
          )
        expect((yield* create({})).stderr).toContain("NODE_EXTRA_CA_CERTS")
        expect(yield* create({ NODE_EXTRA_CA_CERTS: file })).toMatchObject({ code: 0, stderr: "" })
      })
    )
  }
)

it.live("the error of an unreachable database names its server, without user and password", () =>
  Effect.gen(function* () {
    const url = "postgres://somebody:secret@127.0.0.1:1/nothing"
    const error = yield* Effect.flip(Effect.scoped(Layer.build(layer(url))))
    expect(error).toMatchObject({ _tag: "JournalUnavailable", problem: "unreachable" })
    expect(error.message).toContain("The journal PostgreSQL 127.0.0.1:1/nothing is not available")
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toMatch(
      /secret|somebody|postgres:/
    )
  })
)
