import * as PgClient from "@effect/sql-pg/PgClient"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { SendClaims, SendJournal } from "@messaging-topup/journal"
import * as Postgres from "@messaging-topup/journal/postgres"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { conformanceTests } from "./Conformance.ts"
import { begun, rowsNamed } from "./conformance/Slices.ts"
import { claimed } from "./conformance/Claims.ts"
import { request } from "./support/ClaimRequest.ts"
import {
  dropSchema,
  noPostgres,
  type PostgresServer,
  startPostgres
} from "./support/PostgresServer.ts"
import { start } from "./support/Programs.ts"
import { expectShared } from "./support/Replicas.ts"
import { runCampaign } from "./support/Runner.ts"
import { service } from "./support/Service.ts"

if (noPostgres !== undefined) console.warn(`The tests on PostgreSQL are skipped: ${noPostgres}`)

let server: PostgresServer
beforeAll(async () => {
  if (noPostgres === undefined) server = await startPostgres()
})
afterAll(() => server?.stop())

interface Skippable {
  readonly skip: (why: string) => void
}

/** A journal in an empty database. */
const journal = (config: Partial<PgClient.PgPoolConfig> = {}) =>
  Postgres.layer.pipe(
    Layer.provide(Layer.effectDiscard(dropSchema)),
    Layer.provideMerge(PgClient.layer({ ...server.config, ...config }))
  )

/** Runs a test, or skips it if there is no PostgreSQL. */
const onPostgres =
  <A, E>(run: () => Effect.Effect<A, E>) =>
  (context: Skippable) => {
    if (noPostgres !== undefined) context.skip(noPostgres)
    return run()
  }

/** A client that reports each transaction as failed once, after it was committed. */
const losingAcknowledgements = (config: PgClient.PgPoolConfig) => {
  const lost = new SqlError({ reason: new ConnectionError({ cause: new Error("lost") }) })
  const losing = (client: PgClient.PgClient): PgClient.PgClient => {
    let commits = 0
    return Object.assign(Object.create(client), {
      withTransaction: <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.tap(client.withTransaction(effect), () =>
          ++commits % 2 === 1 ? Effect.fail(lost) : Effect.void
        )
    })
  }
  return PgClient.layerFrom(Effect.map(PgClient.make(config), losing))
}

const sql = Effect.fnUntraced(function* (statement: string) {
  const client = yield* PgClient.PgClient
  return yield* client.unsafe<Record<string, unknown>>(statement)
})

describe("a journal in PostgreSQL", () => {
  it.effect.each(conformanceTests)("%s", ([, test], context) => {
    if (noPostgres !== undefined) context.skip(noPostgres)
    return Effect.provide(test, Layer.merge(journal(), service))
  })

  it.live(
    "is created once, even if several processes start at once",
    onPostgres(() =>
      Effect.gen(function* () {
        yield* dropSchema
        const starts = Array.from({ length: 5 }, () =>
          Effect.scoped(Layer.build(Layer.fresh(Postgres.layer)))
        )
        yield* Effect.all(starts, { concurrency: "unbounded" })
        expect(yield* sql("select version from messaging_topup_journal.version")).toEqual([
          { version: 3n },
          { version: 4n }
        ])
      }).pipe(Effect.provide(PgClient.layer(server.config)))
    )
  )

  it.live(
    "shares limits, approvals and single sends between replicas",
    onPostgres(() =>
      Effect.gen(function* () {
        yield* Effect.provide(dropSchema, PgClient.layer(server.config))
        yield* expectShared(Postgres.layer.pipe(Layer.provide(PgClient.layer(server.config))))
      }).pipe(Effect.scoped, Effect.provide(service))
    )
  )

  it.live(
    "does nothing twice when the acknowledgement of a commit is lost",
    onPostgres(() =>
      Effect.gen(function* () {
        const { append, begin, openSlices } = yield* SendJournal
        const claims = yield* SendClaims
        yield* append("c", rowsNamed("a", "b"))
        const slices = yield* openSlices("c")
        expect(slices).toHaveLength(1)
        expect((yield* begin(slices[0] ?? 0)).rows).toHaveLength(2)
        const approval = { nonce: "n", expiresAt: Number.MAX_SAFE_INTEGER }
        const limits = [{ scope: "all", amount: 1, max: 1, per: Duration.hours(1) }]
        yield* claimed("k", { approval, limits })
        expect(yield* claims.recent({}, 10)).toMatchObject([{ key: "k", state: "in-flight" }])
      }).pipe(
        Effect.provide(
          Postgres.layer.pipe(
            Layer.provide(Layer.effectDiscard(dropSchema)),
            Layer.provide(losingAcknowledgements(server.config))
          )
        )
      )
    )
  )

  it.live(
    "needs no right to create a schema once it exists",
    onPostgres(() =>
      Effect.gen(function* () {
        yield* sql("create role worker login")
        yield* sql("grant usage on schema messaging_topup_journal to worker")
        yield* sql(
          "grant select, insert, update, delete on all tables in schema messaging_topup_journal to worker"
        )
        const asWorker = Postgres.layer.pipe(
          Layer.provide(PgClient.layer({ ...server.config, username: "worker" }))
        )
        yield* begun("a").pipe(Effect.provide(Layer.fresh(asWorker)))
      }).pipe(Effect.provide(journal()))
    )
  )

  it.live(
    "is refused if a newer version wrote it",
    onPostgres(() =>
      Effect.gen(function* () {
        yield* sql("insert into messaging_topup_journal.version (version) values (99)")
        const error = yield* Effect.flip(Effect.scoped(Layer.build(Layer.fresh(Postgres.layer))))
        expect(error).toMatchObject({ _tag: "JournalUnavailable", problem: "newer" })
      }).pipe(Effect.provide(journal()))
    )
  )

  it.live(
    "commits a claim even inside a transaction of the caller that fails",
    onPostgres(() =>
      Effect.gen(function* () {
        const client = yield* PgClient.PgClient
        const claims = yield* SendClaims
        yield* Effect.flip(
          client.withTransaction(Effect.andThen(claimed("k"), Effect.fail("rolled back" as const)))
        )
        expect(yield* claims.look(request("k"))).toMatchObject({ _tag: "InFlight" })
      }).pipe(Effect.provide(journal()))
    )
  )

  it.live(
    "is durable even if the session's commits are asynchronous",
    onPostgres(() =>
      Effect.gen(function* () {
        const { attempt, ids, journal: sends } = yield* begun("a", "b")
        const isFlushed =
          "select pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() as flushed"
        yield* sends.exchange(attempt, { settle: [], claim: ids })
        expect(yield* sql(isFlushed)).toEqual([{ flushed: true }])
        const settle = ids.map((id) => ({ id, outcome: "sent" }) as const)
        yield* sends.exchange(attempt, { settle, claim: [] })
        expect(yield* sql(isFlushed)).toEqual([{ flushed: true }])
        const claim = yield* claimed("k")
        expect(yield* sql(isFlushed)).toEqual([{ flushed: true }])
        const { settle: settleSend } = yield* SendClaims
        yield* settleSend(claim, { outcome: "unknown" })
        expect(yield* sql(isFlushed)).toEqual([{ flushed: true }])
      }).pipe(
        Effect.provide(
          journal({
            maxConnections: 1,
            startupParameters: { synchronous_commit: "off" }
          })
        )
      )
    )
  )

  it.live(
    "does not wait for a process that is frozen inside a transaction",
    onPostgres(() =>
      Effect.gen(function* () {
        const { attempt, ids, journal: sends, slice } = yield* begun("a")
        yield* sends.exchange(attempt, { settle: [], claim: ids })
        const frozen = yield* start("freeze.ts", String(server.port), String(slice))
        yield* Effect.repeat(
          sql(
            "select 1 from pg_stat_activity where state = 'idle in transaction' and query like '%journal.campaign%'"
          ),
          { until: (rows) => rows.length > 0 }
        )
        const next = yield* sends.begin(slice)
        expect(next.attempt.epoch).toBe(2)
        frozen.child.kill("SIGCONT")
        // Its transaction was ended, so it begins again: that is the third attempt.
        expect(yield* frozen.nextLine).toBe("3")
        expect(yield* sends.exchange(next.attempt, { settle: [], claim: ids })).toEqual([])
        expect(yield* sends.rows(slice)).toMatchObject([{ state: "unknown" }])
      }).pipe(Effect.scoped, Effect.provide(journal()))
    )
  )

  it.live(
    "loses nothing and sends nothing twice when the server crashes under load",
    onPostgres(() =>
      Effect.gen(function* () {
        const { append, rows, slices } = yield* SendJournal
        const sandbox = yield* Sandbox
        const keys = Array.from({ length: 1500 }, (_, index) => `k${index}`)
        yield* append("c", rowsNamed(...keys))
        const running = yield* Effect.forkChild(runCampaign("c", 25))
        for (const received of [200, 600, 1000]) {
          yield* sandbox.until(({ requests }) => requests.length >= received)
          yield* Effect.promise(server.crash)
        }
        yield* Fiber.join(running)
        const states = (yield* Effect.forEach(yield* slices("c"), rows)).flat()
        const taken = (yield* sandbox.messages()).map(({ message }) => message)
        expect(new Set(taken).size).toBe(taken.length)
        const sent = states.flatMap(({ request: { message }, state }) =>
          state === "sent" ? [message] : []
        )
        expect(sent.toSorted()).toEqual(taken.toSorted())
        expect(states.every(({ state }) => state === "sent" || state === "rejected")).toBe(true)
      }).pipe(
        Effect.provide(
          Layer.merge(
            journal(),
            Layer.unwrap(
              Effect.map(Sandbox, ({ baseUrl, token }) => MessagingTopup.layer({ baseUrl, token }))
            ).pipe(Layer.provide(NodeTransport.layer), Layer.provideMerge(Sandbox.layer()))
          )
        )
      )
    )
  )

  it.live(
    "is unavailable without a server, and nothing is sent",
    onPostgres(() =>
      Effect.gen(function* () {
        const nowhere = PgClient.layer({ ...server.config, port: 1 })
        const error = yield* Effect.flip(
          Effect.scoped(Layer.build(Postgres.layer.pipe(Layer.provide(nowhere))))
        )
        expect(error).toMatchObject({ _tag: "JournalUnavailable", problem: "unreachable" })
      })
    )
  )
})
