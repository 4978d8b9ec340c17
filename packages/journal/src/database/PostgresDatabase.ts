/**
 * A journal in PostgreSQL, on the program's own client.
 *
 * It does not rely on the settings of the client's connections: each transaction sets what it needs.
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
import type { JournalError } from "../errors/JournalError.ts"
import type { Database, Dialect, Query, Result } from "./Database.ts"

/** A separate schema for the tables of the journal. */
const schema = "messaging_topup_journal"

const waitSeconds = 10

/** Less than `waitSeconds`, so that a frozen process loses its transaction before others stop waiting. */
const idleSeconds = 5

const dialect: Dialect = {
  table: (name) => `${schema}.${name}`,
  isTable: `select 1 from pg_tables where schemaname = '${schema}' and tablename = $1`,
  elements: (param) => `json_array_elements_text(${param}::json)`,
  records: (param, ...columns) =>
    `json_to_recordset(${param}::json) as fields(${columns.join(", ")})`,
  forUpdate: "for update",
  integer: "bigint",
  identity: "bigint generated always as identity primary key",
  // Free space in each page for new versions of its rows. An update within the page changes no index.
  oftenUpdated: "with (fillfactor = 70)"
}

/**
 * By the error code or the beginning of it. Source:
 * https://www.postgresql.org/docs/15/errcodes-appendix.html
 */
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

/**
 * Errors that a retry can solve: the server restarts, a connection broke, or two transactions conflict.
 */
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

/**
 * When the connection breaks, the rollback fails too, and the client dies with that SQL error as a
 * defect. This turns the defect into an error.
 */
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
 * The settings of each transaction. The idle time-out ends the transaction of a frozen process; otherwise
 * the next attempt at its slice would wait for it.
 */
const settings = `select set_config('synchronous_commit', 'on', true),
  set_config('lock_timeout', '${waitSeconds}s', true),
  set_config('idle_in_transaction_session_timeout', '${idleSeconds}s', true)`

/**
 * Creates the schema only if it does not exist: the role of a later start may have no right to create
 * one.
 */
export const createSchema = Effect.fnUntraced(function* (query: Query) {
  const found = yield* query(`select 1 from pg_namespace where nspname = '${schema}'`)
  if (found.length === 0) yield* query(`create schema ${schema}`)
})

export const connect = (client: PgClient.PgClient): Database => {
  const query: Query = (sql, ...params) =>
    Effect.mapError(client.unsafe<Result[number]>(sql, params).withoutTransform, failure)

  /** Leaves the caller's transaction: a claim counts only once it is committed. */
  const outsideTransaction = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.updateContext(effect, (context: Context.Context<never>) =>
      Context.omit(client.transactionService)(context)
    )

  const withTimeoutAndRetry = <A, E>(
    effect: Effect.Effect<A, E>
  ): Effect.Effect<A, E | JournalError> =>
    outsideTransaction(effect).pipe(
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
    query: (sql, ...params) => withTimeoutAndRetry(query(sql, ...params)),
    transaction: (body) =>
      // Read committed: after a wait for a lock, a statement must see what was committed during the wait.
      client.withTransaction(Effect.andThen(query(settings), body(query))).pipe(
        failWhenBroken,
        Effect.mapError((error) => (isSqlError(error) ? failure(error) : error)),
        Effect.provideService(SqlClient.BeginTransaction, "begin isolation level read committed"),
        withTimeoutAndRetry
      ),
    lock: (inTransaction, name) =>
      Effect.asVoid(
        inTransaction("select pg_advisory_xact_lock(hashtextextended($1, 0))", `${schema}:${name}`)
      ),
    // A single statement needs a single round trip. It sets `synchronous_commit` itself, so it is
    // durable.
    turn: ({ claim, reopen, settle }, ...params) =>
      withTimeoutAndRetry(
        query(
          `with durable as materialized (select set_config('synchronous_commit', 'on', true) as mode),
          fence as materialized (
            select 1 from ${dialect.table("slice")} where id = $1 and epoch = $2 for share
          ),
          settled as (${settle} and (select mode from durable) = 'on' returning send.state),
          reopened as (${reopen("not exists (select 1 from fence)", "(select 1 from settled where state = 'pending')")}),
          claimed as (${claim("(select 1 from fence, durable where mode = 'on')")})
          select id from claimed`,
          ...params
        )
      )
  }
}
