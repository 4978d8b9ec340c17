/**
 * The interface to a database: statements, transactions, and the places where the SQL of SQLite and
 * PostgreSQL differs. All other SQL is shared, so that the rules are written once.
 */
import type * as Effect from "effect/Effect"
import type { JournalError } from "../errors/JournalError.ts"

/**
 * How far the clocks of the processes may differ. A claim from further in the future was made while a clock
 * was wrong.
 */
export const toleranceMillis = 60_000

export type Value = string | number | null

export type Result = ReadonlyArray<Readonly<Record<string, unknown>>>

/** Runs a statement. Parameters are `$1`, `$2`, …; a list is passed as one parameter of JSON. */
export type Query = (
  sql: string,
  ...params: ReadonlyArray<Value>
) => Effect.Effect<Result, JournalError>

export interface Dialect {
  /** The name of a table, with its schema. */
  readonly table: (name: string) => string
  /** A query that returns a row if the table `$1` exists. */
  readonly isTable: string
  /** The elements of a JSON list, as a table with the column `value`. */
  readonly elements: (param: string) => string
  /** The objects of a JSON list, as a table `fields` with the given columns, each `name type`. */
  readonly records: (param: string, ...columns: ReadonlyArray<string>) => string
  /** The clause that locks the rows of a query until the transaction ends. */
  readonly forUpdate: string
  readonly integer: string
  /** The type of a generated id. An id is never used twice. */
  readonly identity: string
  /** The storage options of a table whose rows change often. */
  readonly oftenUpdated: string
}

/** The three statements of a turn. Two of them need conditions, which are written per database. */
interface Turn {
  readonly settle: string
  /** `superseded`: the slice `$1` no longer has the epoch `$2`. `pending`: a query of pending rows. */
  readonly reopen: (superseded: string, pending: string) => string
  /** `fence`: a query that returns a row if the slice `$1` still has the epoch `$2`. */
  readonly claim: (fence: string) => string
}

export interface Database {
  readonly dialect: Dialect
  /** Runs one statement in its own transaction. */
  readonly query: Query
  /**
   * Runs `body` in one durable transaction. `body` may run again, even after a commit whose
   * acknowledgement was lost: the second run must change nothing.
   */
  readonly transaction: <A, E>(
    body: (query: Query) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E | JournalError>
  /**
   * Makes other transactions that lock the same name wait until this one ends. SQLite needs no such lock:
   * it has one writer at a time.
   */
  readonly lock: (query: Query, name: string) => Effect.Effect<void, JournalError>
  /**
   * Runs the turn of an attempt in one durable transaction: settles, reopens, claims. Each statement
   * names only the parameters that it uses. Returns the rows of the claim statement.
   */
  readonly turn: (
    turn: Turn,
    ...params: ReadonlyArray<Value>
  ) => Effect.Effect<Result, JournalError>
}
