/**
 * A journal in SQLite, through `node:sqlite`.
 *
 * A statement blocks the event loop until it is on the disk. Waiting for another process does not block
 * it: the connection fails at once, and the fiber sleeps before it retries.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { StatementSync } from "node:sqlite"
import type { JournalError } from "../Errors.ts"
import type { Database, Dialect, Query, Result, Value } from "./Database.ts"
import { applicationId, openFile, tryTo, waitSeconds } from "./SqliteFile.ts"

const dialect: Dialect = {
  table: (name) => name,
  isTable: "select 1 from sqlite_master where type = 'table' and name = $1",
  // All processes of a file run on one machine, so its clock is the database's.
  now: "$now",
  elements: (param) => `json_each(${param})`,
  records: (param, ...columns) => {
    const fields = columns
      .map((column) => column.slice(0, column.indexOf(" ")))
      .map((name) => `value ->> '${name}' as ${name}`)
    return `(select ${fields.join(", ")} from json_each(${param})) as fields`
  },
  key: "text",
  integer: "integer",
  identity: "integer primary key autoincrement"
}

/** Retries every few milliseconds while another process holds the lock, until `waitSeconds` after `since`. */
const retryWhileLocked =
  (since: number) =>
  <A>(effect: Effect.Effect<A, JournalError>): Effect.Effect<A, JournalError> =>
    Effect.retry(effect, {
      while: (error) =>
        Predicate.isTagged(error, "JournalLocked")
          ? Effect.map(Clock.currentTimeMillis, (now) => now - since < waitSeconds * 1000)
          : Effect.succeed(false),
      schedule: Schedule.jittered(Schedule.spaced("3 millis"))
    })

/** Marks a new file as ours, in the transaction that creates its tables. */
export const markFile = (query: Query) => query(`pragma application_id = ${applicationId}`)

export const connect = Effect.fnUntraced(function* (
  file: string,
  isReadOnly: boolean
): Effect.fn.Return<Database, JournalError, Scope.Scope> {
  const { checkFile, connection } = yield* Effect.acquireRelease(
    openFile(file, isReadOnly),
    (opened) => Effect.sync(() => opened.connection.close())
  )
  const oneAtATime = yield* Semaphore.make(1)
  const prepared = new Map<string, StatementSync>()

  const statement = (sql: string): StatementSync => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    const made = connection.prepare(sql)
    made.setAllowUnknownNamedParameters(true)
    prepared.set(sql, made)
    return made
  }

  const query: Query = (sql, ...params) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      tryTo((): Result => {
        const named: Record<string, Value> = { $now: now }
        for (const [index, value] of params.entries()) named[`$${index + 1}`] = value
        return statement(sql).all(named)
      })
    )

  const command = (sql: string) => tryTo(() => connection.exec(sql))

  /** No other fiber may use the connection in between. The wait counts towards `waitSeconds`. */
  const exclusively = <A, E>(
    use: (retry: ReturnType<typeof retryWhileLocked>) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | JournalError> =>
    Effect.flatMap(Clock.currentTimeMillis, (since) =>
      oneAtATime.withPermits(1)(Effect.andThen(checkFile, use(retryWhileLocked(since))))
    )

  const transaction: Database["transaction"] = (body) =>
    exclusively((retry) =>
      Effect.gen(function* () {
        yield* retry(command("begin immediate"))
        const result = yield* body(query)
        // A process that reads holds the commit up, and lets it pass then.
        yield* retry(command("commit"))
        return result
      }).pipe(
        Effect.ensuring(
          Effect.suspend(() =>
            connection.isTransaction ? Effect.ignore(command("rollback")) : Effect.void
          )
        )
      )
    )

  if (!isReadOnly) {
    // The end of a write is the truncation of the -journal file, and that is on the disk, too.
    yield* command("pragma journal_mode = truncate; pragma synchronous = full")
  }

  return {
    dialect,
    read: (sql, ...params) => exclusively((retry) => retry(query(sql, ...params))),
    transaction,
    lock: () => Effect.void,
    exchange: ({ claim, release, settle }, ...params) =>
      transaction((inTransaction) =>
        Effect.gen(function* () {
          yield* inTransaction(settle("1 = 1"), ...params)
          yield* inTransaction(release("1 = 1"), ...params)
          return yield* inTransaction(claim("1 = 1"), ...params)
        })
      )
  }
})
