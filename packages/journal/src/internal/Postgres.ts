/**
 * A journal in PostgreSQL, over the client that the program has.
 *
 * Nothing here rests on how its connections are set up: what the rule needs of a session, each
 * transaction sets for itself.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { JournalLocked } from "../errors/JournalLocked.ts"
import { type JournalProblem, JournalUnavailable } from "../errors/JournalUnavailable.ts"
import type { JournalError } from "../SendJournal.ts"
import type { Database, Dialect, Query } from "./Database.ts"

/** All tables of the journal are in a schema of its own. */
const schema = "messaging_topup_journal"

const waitSeconds = 10

/** Less than others wait for. */
const frozenSeconds = 5

const dialect: Dialect = {
  table: (name) => `${schema}.${name}`,
  isTable: `select 1 from pg_tables where schemaname = '${schema}' and tablename = $1`,
  elements: (param) => `json_array_elements_text(${param}::json)`,
  records: (param, ...columns) =>
    `json_to_recordset(${param}::json) as fields(${columns.join(", ")})`,
  forUpdate: "for update",
  integer: "bigint",
  identity: "bigint generated always as identity primary key",
  // Room in each page for the versions that updates make: they then touch no index.
  oftenUpdated: "with (fillfactor = 70)"
}

/** By the code or its class. Source: https://www.postgresql.org/docs/15/errcodes-appendix.html */
const problems: Readonly<Record<string, JournalProblem>> = {
  "08": "unreachable",
  "28": "unreachable",
  "3D": "unreachable",
  "25006": "read-only",
  "42501": "read-only",
  "53100": "full",
  "57P": "unreachable",
  XX001: "corrupt",
  XX002: "corrupt"
}

/** A server that restarts, a connection that broke, two transactions in each other's way. */
const isTransient = (error: unknown): boolean =>
  error instanceof JournalUnavailable &&
  (error.code === undefined
    ? error.problem === "unreachable"
    : /^(08...|57P0[123]|25P0[34]|40001|40P01|E[A-Z]+)$/.test(error.code))

const failure = ({ reason }: SqlError): JournalError => {
  if (reason._tag === "LockTimeoutError") return new JournalLocked({ waitedSeconds: waitSeconds })
  const { cause } = reason
  const code =
    Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : undefined
  if (code === undefined) {
    const problem = reason._tag === "ConnectionError" ? "unreachable" : "other"
    return new JournalUnavailable({ problem })
  }
  const problem =
    problems[code] ??
    problems[code.slice(0, 3)] ??
    problems[code.slice(0, 2)] ??
    (reason._tag === "ConnectionError" ? "unreachable" : "other")
  return new JournalUnavailable({ problem, code })
}

/** The client dies where even the rollback fails: the connection broke, and with it the transaction. */
const failWhenBroken = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | JournalError> =>
  Effect.catchCause(effect, (cause): Effect.Effect<never, E | JournalError> => {
    for (const reason of cause.reasons) {
      if (Cause.isDieReason(reason) && isSqlError(reason.defect)) {
        return Effect.fail(failure(reason.defect))
      }
    }
    return Effect.failCause(cause)
  })

/**
 * What a transaction needs of its session. A runner that freezes inside one loses it, or it would hold
 * its successor back for as long as it is frozen.
 */
const settings = `select set_config('synchronous_commit', 'on', true),
  set_config('lock_timeout', '${waitSeconds}s', true),
  set_config('idle_in_transaction_session_timeout', '${frozenSeconds}s', true)`

/** Asks before it creates: at work, a role may have no right to. */
export const createSchema = Effect.fnUntraced(function* (query: Query) {
  const found = yield* query(`select 1 from pg_namespace where nspname = '${schema}'`)
  if (found.length === 0) yield* query(`create schema ${schema}`)
})

export const connect = (client: PgClient.PgClient): Database => {
  const query: Query = (sql, ...params) =>
    Effect.mapError(client.unsafe(sql, params).withoutTransform, failure)

  /** A claim is worth nothing before it is committed: never inside a transaction of the caller. */
  const alone = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.updateContext(effect, (context: Context.Context<never>) =>
      Context.omit(client.transactionService)(context)
    )

  const bounded = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | JournalError> =>
    alone(effect).pipe(
      Effect.timeoutOrElse({
        duration: `${3 * waitSeconds} seconds`,
        orElse: () =>
          Effect.fail(new JournalUnavailable({ problem: "unreachable", code: "ETIMEDOUT" }))
      }),
      Effect.retry({
        while: isTransient,
        schedule: Schedule.spaced("100 millis").pipe(
          Schedule.jittered,
          Schedule.upTo({ duration: "5 seconds" })
        )
      })
    )

  return {
    dialect,
    query: (sql, ...params) => bounded(query(sql, ...params)),
    transaction: (body) =>
      // The statements after a wait must see what was committed in it.
      client.withTransaction(Effect.andThen(query(settings), body(query))).pipe(
        failWhenBroken,
        Effect.mapError((error) => (isSqlError(error) ? failure(error) : error)),
        Effect.provideService(SqlClient.BeginTransaction, "begin isolation level read committed"),
        bounded
      ),
    lock: (inTransaction, name) =>
      Effect.asVoid(
        inTransaction("select pg_advisory_xact_lock(hashtextextended($1, 0))", `${schema}:${name}`)
      ),
    // One statement is one round trip. Its commit is durable because it says so itself.
    turn: (turn, ...params) => {
      const { claim, settle } = turn("(select 1 from fence, durable where mode = 'on')")
      return bounded(
        query(
          `with durable as materialized (select set_config('synchronous_commit', 'on', true) as mode),
          fence as materialized (
            select 1 from ${dialect.table("slice")} where id = $1 and epoch = $2 for share
          ),
          settled as (${settle} and (select mode from durable) = 'on'),
          claimed as (${claim})
          select id from claimed`,
          ...params
        )
      )
    }
  }
}
