/**
 * A journal in PostgreSQL, on the program's own client.
 *
 * It does not rely on the settings of the client's connections: each write sets what it needs. So it also
 * works through a pooler that changes connections between transactions, if the client prepares no statements.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import {
  type JournalError,
  JournalLocked,
  type JournalProblem,
  JournalUnavailable
} from "../model/Errors.ts"
import { nameInPostgres } from "../model/JournalName.ts"
import type {
  Claims,
  Database,
  Dialect,
  Params,
  Query,
  Result,
  Value,
  WriteStatements
} from "./Database.ts"
import { digestKeyIn } from "./Schema.ts"
import { optional, rowOf, text } from "./StoredRows.ts"

/** A separate schema for the tables of the journal. */
const schema = "messaging_topup_journal"

const waitSeconds = 10

/** Less than `waitSeconds`, so that a frozen process loses its transaction before others stop waiting. */
const idleSeconds = 5

const dialect: Dialect = {
  table: (name) => `${schema}.${name}`,
  parts: `select tablename as name from pg_tables where schemaname = '${schema}'
    union all select indexname from pg_indexes where schemaname = '${schema}'`,
  now: "cast(extract(epoch from statement_timestamp()) * 1000 as bigint)",
  uptime: "cast(null as bigint)",
  elements: (param) => `json_array_elements_text(${param}::json)`,
  jsonTable: (param, ...columns) =>
    `json_to_recordset(${param}::json) as fields(${columns.join(", ")})`,
  key: `text collate "C"`,
  integer: "bigint",
  forUpdate: "for update",
  identity: "bigint generated always as identity primary key"
}

/**
 * By the error code or the beginning of it. Source:
 * https://www.postgresql.org/docs/15/errcodes-appendix.html
 */
const problems: Readonly<Record<string, JournalProblem>> = {
  "08": "unreachable",
  "25006": "read-only",
  "28": "login",
  "3D000": "no-database",
  "3F000": "replaced",
  // The tables were there when the journal was opened.
  "42P01": "replaced",
  "42501": "no-right",
  "53100": "full",
  "53300": "busy",
  "55000": "standby",
  "57014": "cancelled",
  "57P": "unreachable",
  XX001: "corrupt",
  XX002: "corrupt"
}

/**
 * Errors that a retry can solve: the server restarts, a connection broke, two transactions conflict, or a statement took
 * longer than its role allows.
 */
const isTransient = (error: unknown): boolean =>
  error instanceof JournalUnavailable &&
  (error.code === undefined
    ? error.problem === "unreachable"
    : /^(08...|53300|57014|57P0[123]|25P0[34]|40001|40P01|E[A-Z]+)$/.test(error.code))

/** What Node says of a certificate that it does not accept. Source: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const ofCertificates = /CERT|UNABLE_TO_VERIFY|INVALID_CA|HOSTNAME_MISMATCH/

/** By the code, or without one by what the client was about to do. */
const problemOf = (reason: SqlError["reason"], code: string | undefined): JournalProblem => {
  if (code === undefined) {
    if (reason._tag === "AuthenticationError") return "login"
    if (reason.message === "PgConnection: Server refused TLS") return "no-tls"
  } else if (ofCertificates.test(code)) return "certificate"
  const found = code && (problems[code] ?? problems[code.slice(0, 3)] ?? problems[code.slice(0, 2)])
  return found || (reason._tag === "ConnectionError" ? "unreachable" : "other")
}

/** The error of the journal without the client's text, which could contain the URL or a value. */
export const failure = ({ reason }: SqlError): JournalError => {
  if (reason._tag === "LockTimeoutError") return new JournalLocked({ waitedSeconds: waitSeconds })
  const { cause } = reason
  const code =
    Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : undefined
  return new JournalUnavailable({ problem: problemOf(reason, code), code })
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
 * Creates the schema only if it does not exist: the role of a later start may have no right to create
 * one.
 */
const createSchema: Database["prepare"] = Effect.fnUntraced(function* (query) {
  const found = yield* query(`select 1 from pg_namespace where nspname = '${schema}'`)
  if (found.length === 0) yield* query(`create schema ${schema}`)
})

/**
 * Which server it is, and its timeline, which changes when a standby takes over: it may not have the last writes.
 * Another server has a copy, which may not have them either.
 */
const serverSql =
  "(select system_identifier || ' ' from pg_control_system()) || left(pg_walfile_name(pg_current_wal_lsn()), 8)"

/**
 * Services that imitate PostgreSQL may not have these functions; then nothing is compared. A new database does
 * not have the tables.
 */
const isMissing = (error: JournalError): boolean =>
  error._tag === "JournalUnavailable" && /^(0A|42)/.test(error.code ?? "")

const isFailedOver = (error: unknown): error is JournalUnavailable =>
  error instanceof JournalUnavailable && error.problem === "failed-over"

const requireReady = (rows: Result): Effect.Effect<void, JournalError> =>
  rows.every(({ is_ready }) => is_ready === true)
    ? Effect.void
    : Effect.fail(new JournalUnavailable({ problem: "failed-over" }))

/**
 * The statements as one, which needs a single round trip. Its parts are independent: a claim names no key that
 * is settled. Each waits for the settings, whose row it reads once before its own rows. The outer join reads
 * the settings even if nothing is claimed.
 */
const inOne = ({ before, claim, release, settle }: WriteStatements, isReadyNow: string) => {
  const guard = "(select is_ready from settings)"
  const parts = [
    `settings as materialized (select ${isReadyNow} as is_ready)`,
    ...(settle === undefined ? [] : [`settled as (${settle(guard)} returning 1)`]),
    ...(release === undefined ? [] : [`released as (${release(guard)} returning 1)`]),
    ...(claim === undefined ? [] : [`claimed as (${claim(guard)})`])
  ]
  const [key, claimed] =
    claim === undefined ? ["", ""] : [", claimed.id, claimed.key", "left join claimed on true"]
  return `with ${parts.join(", ")} select is_ready, known.*${key}
    from settings cross join (${before}) as known ${claimed}`
}

/** PostgreSQL numbers the parameters of a statement. A name without a value would be null, and a condition on it no condition. */
const numbered = (sql: string, params: Params): [sql: string, values: ReadonlyArray<Value>] => {
  const names = new Array<string>()
  const withNumbers = sql.replaceAll(/\$(\w+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  const values = names.map((name) => {
    const value = params[name]
    if (value === undefined) throw new Error(`A statement has no value for $${name}`)
    return value
  })
  return [withNumbers, values]
}

/** The lock of the journal: shared by those that claim, and held alone by a claim that asks about others. */
const claimsLock: Readonly<Record<Claims, string>> = {
  none: "",
  some: `and pg_advisory_xact_lock_shared(hashtextextended('${schema}:claims', 0)) is not null`,
  asking: `and pg_advisory_xact_lock(hashtextextended('${schema}:claims', 0)) is not null`
}

/**
 * Without statistics, PostgreSQL expects thousands of rows for each recipient, and would compile a statement that
 * looks ten of them up. This is for later statements: the plan of its own one is made before.
 */
const withoutJit = "set_config('jit', 'off', true) = 'off'"

/** `isAccepted` says that a person accepts another server, which is then that of the journal. */
export const connect = Effect.fnUntraced(function* (
  client: PgClient.PgClient,
  isAccepted = false
): Effect.fn.Return<Database, JournalError> {
  const query: Query = (sql, params = {}) =>
    Effect.mapError(
      client.unsafe<Result[number]>(...numbered(sql, params)).withoutTransform,
      failure
    )

  /** Leaves the caller's transaction: a claim counts only once it is committed. */
  const outsideTransaction = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.updateContext(effect, (context: Context.Context<never>) =>
      Context.omit(client.transactionService)(context)
    )

  /** Whether the server answers to a single statement. */
  const answers = outsideTransaction(query("select 1")).pipe(
    Effect.timeout("1 second"),
    Effect.isSuccess
  )

  /** A table can be locked before the settings of a statement are read. Then the server still answers. */
  const timedOut = Effect.flatMap(answers, (isThere) =>
    Effect.fail(
      isThere
        ? new JournalLocked({ waitedSeconds: 2 * waitSeconds })
        : new JournalUnavailable({ problem: "unreachable", code: "ETIMEDOUT" })
    )
  )

  /** Does not wait for the end of what it gives up: `BEGIN` and `COMMIT` go on until the server responds. */
  const withTimeout = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | JournalError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.forkDetach(restore(effect)), (fiber) =>
        restore(Effect.timeoutOption(Fiber.join(fiber), `${2 * waitSeconds} seconds`)).pipe(
          Effect.onInterrupt(() => Fiber.interrupt(fiber)),
          Effect.flatMap(
            Option.match({
              onSome: Effect.succeed,
              onNone: () => {
                fiber.interruptUnsafe()
                return restore(timedOut)
              }
            })
          )
        )
      )
    )

  const withTimeoutAndRetry = <A, E>(
    effect: Effect.Effect<A, E>
  ): Effect.Effect<A, E | JournalError> =>
    withTimeout(outsideTransaction(effect)).pipe(
      Effect.retry({
        while: isTransient,
        schedule: Schedule.spaced("100 millis").pipe(
          Schedule.jittered,
          Schedule.upTo({ duration: "5 seconds" })
        )
      })
    )

  const read: Query = (sql, params) => withTimeoutAndRetry(query(sql, params))

  const valueOf = (sql: string) =>
    Effect.catchIf(
      rowOf(read(sql), (row) => optional(row, "value", text)),
      isMissing,
      () => Effect.undefined
    )

  // In this order: a server that takes over in between is not that of the stored value.
  const servers = Effect.all([
    valueOf(`select ${serverSql} as value`),
    valueOf(`select value from ${schema}.setting where name = 'server'`)
  ])
  const [first, stored] = yield* servers
  let server = first
  let mayWrite = stored === undefined || stored === first || isAccepted
  let digestKey: string | undefined
  /** Reads go on, so that a person can compare the journal with the service. */
  const isSameServer = () =>
    server === undefined ? "true" : `${mayWrite} and ${serverSql} = '${server}'`

  /** Goes on after a person accepted the server that took over, if it has this journal and no other one. */
  const untilAccepted = <A, E>(write: () => Effect.Effect<A, E | JournalError>) =>
    Effect.catchIf(
      Effect.suspend(write),
      isFailedOver,
      Effect.fnUntraced(function* (error) {
        const [current, accepted] = yield* servers
        if (current === undefined || current !== accepted) return yield* Effect.fail(error)
        if ((yield* digestKeyIn(dialect, read)) !== digestKey) return yield* Effect.fail(error)
        server = current
        mayWrite = true
        return yield* write()
      })
    )

  /**
   * The settings of each write, and whether it may be made. The idle time-out ends the transaction of a
   * frozen process; otherwise others would wait for it.
   */
  const isReady = () => `set_config('synchronous_commit', 'on', true) = 'on'
      and set_config('lock_timeout', '${waitSeconds}s', true) <> ''
      and set_config('idle_in_transaction_session_timeout', '${idleSeconds}s', true) <> ''
      and ${isSameServer()}`

  /** A pooler in statement mode ends the connection at each transaction, without a code, and not at a statement. */
  const nameStatementMode = (error: unknown): Effect.Effect<void, JournalError> =>
    error instanceof JournalUnavailable &&
    error.problem === "unreachable" &&
    error.code === undefined
      ? Effect.flatMap(answers, (isThere) =>
          isThere ? Effect.fail(new JournalUnavailable({ problem: "statement-mode" })) : Effect.void
        )
      : Effect.void

  /** The settings are a statement of their own: what follows sees what was committed while it waited for a lock. */
  const transactionAfter = <A, E>(settings: string, body: Effect.Effect<A, E>) =>
    client
      .withTransaction(
        Effect.andThen(
          Effect.flatMap(query(`select ${settings} and ${withoutJit} as is_ready`), requireReady),
          body
        )
      )
      .pipe(
        failWhenBroken,
        Effect.mapError((error) => (isSqlError(error) ? failure(error) : error)),
        // After a wait for a lock, a statement must see what was committed during the wait.
        Effect.provideService(SqlClient.BeginTransaction, "begin isolation level read committed"),
        withTimeoutAndRetry,
        Effect.tapError(nameStatementMode)
      )

  const readyFor = (claims: Claims) => `${isReady()} ${claimsLock[claims]}`

  return {
    dialect,
    name: nameInPostgres({
      ...client.config,
      url: client.config.url && Redacted.value(client.config.url)
    }),
    prepare: createSchema,
    server: mayWrite && stored !== first ? first : undefined,
    checkServer: untilAccepted(() =>
      Effect.flatMap(read(`select ${isSameServer()} as is_ready`), requireReady)
    ),
    // The server checks what it reads itself.
    checkWhole: Effect.void,
    opened: (key) => void (digestKey = key),
    read,
    search: (sql, params) => transactionAfter("true", query(sql, params)),
    reread: Effect.void,
    transaction: (body, claims = "none") =>
      untilAccepted(() =>
        transactionAfter(
          readyFor(claims),
          Effect.suspend(() => body(query))
        )
      ),
    lock: (inTransaction, name) =>
      Effect.asVoid(
        inTransaction("select pg_advisory_xact_lock(hashtextextended($name, 0))", {
          name: `${schema}:${name}`
        })
      ),
    write: (statements, claims, params) => {
      const writeAfter = (settings: string) =>
        query(inOne(statements, settings), params).pipe(Effect.tap(requireReady))
      return untilAccepted(() =>
        claims === "asking"
          ? transactionAfter(readyFor(claims), writeAfter("true"))
          : withTimeoutAndRetry(writeAfter(readyFor(claims)))
      )
    }
  }
})
