/**
 * A journal in SQLite, through `node:sqlite`.
 *
 * A statement blocks the event loop until it is on the disk. Waiting for another process does not block
 * it: the connection fails at once, and the fiber sleeps before it retries.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { StatementSync } from "node:sqlite"
import type { JournalError } from "../errors/JournalError.ts"
import type { Database, Dialect, Query, Result, Value } from "./Database.ts"
import { type Exclusively, makeTransaction } from "./GroupCommit.ts"
import { type Access, enterWal, openFile, retryWhileLocked, tryTo } from "./SqliteFile.ts"

const dialect: Dialect = {
  table: (name) => name,
  isTable: "select 1 from sqlite_master where type = 'table' and name = $1",
  elements: (param) => `json_each(${param})`,
  records: (param, ...columns) => {
    const fields = columns
      .map((column) => column.slice(0, column.indexOf(" ")))
      .map((name) => `value ->> '${name}' as ${name}`)
    return `(select ${fields.join(", ")} from json_each(${param})) as fields`
  },
  forUpdate: "",
  integer: "integer",
  identity: "integer primary key autoincrement",
  oftenUpdated: ""
}

export const connect = Effect.fnUntraced(function* (
  file: string,
  access: Access
): Effect.fn.Return<Database, JournalError, Scope.Scope> {
  const { checkFile, connection } = yield* Effect.acquireRelease(
    openFile(file, access),
    ({ close }) => close
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

  const run = (sql: string, params: ReadonlyArray<Value>): Result =>
    statement(sql).all(Object.fromEntries(params.map((value, index) => [`$${index + 1}`, value])))

  const query: Query = (sql, ...params) => tryTo(() => run(sql, params))

  const command = (sql: string) => tryTo(() => connection.exec(sql))

  /** The wait for the semaphore counts towards `waitSeconds`. */
  const exclusively: Exclusively = (use) =>
    Effect.flatMap(Clock.currentTimeMillis, (since) =>
      oneAtATime.withPermits(1)(
        Effect.suspend(() =>
          use((effect) => Effect.andThen(checkFile, retryWhileLocked(since)(effect)))
        )
      )
    )

  // The body of a transaction is several statements: no other fiber may use the connection between them.
  const transaction = makeTransaction({
    command,
    exclusively,
    isInTransaction: () => connection.isTransaction,
    query
  })

  if (access === "write") {
    yield* exclusively((attempt) => attempt(tryTo(() => enterWal(file, connection))))
    yield* command("pragma synchronous = full")
  }

  return {
    dialect,
    query: (sql, ...params) => exclusively((attempt) => attempt(query(sql, ...params))),
    transaction,
    lock: () => Effect.void,
    turn: ({ claim, reopen, settle }, ...params) =>
      transaction((inTurn) =>
        Effect.gen(function* () {
          yield* inTurn(settle, ...params)
          yield* inTurn(
            reopen(
              "epoch <> $2",
              "(select 1 from send where id between $5 and $6 and state = 'pending')"
            ),
            ...params
          )
          return yield* inTurn(
            claim("(select 1 from slice where id = $1 and epoch = $2)"),
            ...params
          )
        })
      )
  }
})
