/**
 * The stores that a model reads and restores: SQLite in memory, and PostgreSQL.
 *
 * The times of a row are written as ages, because a database tells the time itself.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { layerMemory } from "@messaging-topup/journal"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as Postgres from "@messaging-topup/journal/postgres"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { DatabaseSync } from "node:sqlite"
import { sms, type Store, type StoredAttempt, tickMillis, timeoutMillis } from "./SendModel.ts"

/** The time that a manual clock shows; the same always. */
const now = 1_000_000

/** A clock that stands still. */
const still: Clock.Clock = {
  currentTimeMillisUnsafe: () => now,
  currentTimeMillis: Effect.succeed(now),
  currentTimeNanosUnsafe: () => 0n,
  currentTimeNanos: Effect.succeed(0n),
  monotonicTimeNanosUnsafe: () => 0n,
  monotonicTimeNanos: Effect.succeed(0n),
  sleep: () => Effect.never
}

/** The time of a claim until it is stale, as in the rule. */
const staleMillis = 10_000 + timeoutMillis + 5000

const insertInto = (
  table: string,
  time: string,
  { describe, identify }: typeof SendJournal.Service
) => {
  const { content, recipient } = describe(identify("k", sms), sms)
  const requests = new Map<string, string>()
  const requestOf = (stored: string): string => {
    const [campaign = "", key = ""] = stored.split("/")
    const known = requests.get(stored)
    const request = known ?? identify(campaign === "" ? key : { campaign, key }, sms).digest
    requests.set(stored, request)
    return request
  }
  const columns =
    "key, attempt, owner, ticket, request, recipient, content, state, claimed_at, stale_at, decided_at"
  return (attempts: ReadonlyArray<StoredAttempt>): string => {
    const rows = attempts.map(({ age, attempt, isDecided, key, owner, state, ticket }) => {
      const claimedAt = `${time} - ${age * tickMillis}`
      const decidedAt = isDecided ? time : "null"
      return `('${key}', ${attempt}, '${owner}', '${ticket}', '${requestOf(key)}', '${recipient}', '${content}', '${state}', ${claimedAt}, ${claimedAt} + ${staleMillis}, ${decidedAt})`
    })
    return rows.length === 0
      ? "select 1"
      : `insert into ${table} (${columns}) values ${rows.join()}`
  }
}

const select = (table: string, time: string): string =>
  `select id, key, attempt, owner, ticket, state, decided_at, ${time} - claimed_at as millis from ${table} order by key, attempt`

const attemptOf = (row: Readonly<Record<string, unknown>>): StoredAttempt => ({
  key: String(row["key"]),
  attempt: Number(row["attempt"]),
  owner: String(row["owner"]),
  ticket: String(row["ticket"]),
  state: String(row["state"]),
  isDecided: row["decided_at"] !== null,
  age: Math.min(2, Math.round(Number(row["millis"]) / tickMillis))
})

const idsOf = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  new Map(rows.map((row) => [String(row["ticket"]), Number(row["id"])]))

/** Reattempts the result of `use`, and the database that it opened. */
const withDatabase = async <A>(use: () => Promise<A>): Promise<readonly [A, DatabaseSync]> => {
  const { exec } = DatabaseSync.prototype
  let opened: DatabaseSync | undefined
  const noteAndExec: typeof exec = function (this: DatabaseSync, sql) {
    // oxlint-disable-next-line typescript/no-this-alias
    opened = this
    return exec.call(this, sql)
  }
  DatabaseSync.prototype.exec = noteAndExec
  try {
    const made = await use()
    if (opened === undefined) throw new Error("No database was opened")
    return [made, opened]
  } finally {
    DatabaseSync.prototype.exec = exec
  }
}

export const inMemory = Effect.gen(function* () {
  const runtime = yield* Effect.acquireRelease(
    Effect.sync(() => ManagedRuntime.make(layerMemory)),
    ({ disposeEffect }) => disposeEffect
  )
  const [journal, database] = yield* Effect.promise(() =>
    withDatabase(() => runtime.runPromise(SendJournal))
  )
  const read = database.prepare(select("send", String(now)))
  const insert = insertInto("send", String(now), journal)
  const store: Store = {
    journal,
    run: (effect) => Effect.runPromise(Effect.provideService(effect, Clock.Clock, still)),
    load: async (attempts) => {
      database.exec(`begin; delete from send; ${insert(attempts)}; commit`)
    },
    stored: async () => read.all().map(attemptOf),
    ids: async () => idsOf(read.all()),
    taken: new Map()
  }
  return store
})

export const onPostgres = Effect.fnUntraced(function* (config: PgClient.PgPoolConfig) {
  const runtime = yield* Effect.acquireRelease(
    Effect.sync(() =>
      ManagedRuntime.make(Layer.provideMerge(Postgres.layer, PgClient.layer({ ...config })))
    ),
    ({ disposeEffect }) => disposeEffect
  )
  const [journal, client] = yield* Effect.promise(() =>
    runtime.runPromise(Effect.all([SendJournal, PgClient.PgClient]))
  )
  const time = "cast(extract(epoch from statement_timestamp()) * 1000 as bigint)"
  const table = "messaging_topup_journal.send"
  const insert = insertInto(table, time, journal)
  const sql = (statement: string) =>
    Effect.runPromise(client.unsafe<Record<string, unknown>>(statement))
  const store: Store = {
    journal,
    run: (effect) => Effect.runPromise(effect),
    load: async (attempts) => {
      await sql(`delete from ${table}`)
      await sql(insert(attempts))
    },
    stored: async () => (await sql(select(table, time))).map(attemptOf),
    ids: async () => idsOf(await sql(select(table, time))),
    taken: new Map()
  }
  return store
})
