/**
 * What the journal asks of a database: statements, transactions, and the few words in which SQLite and
 * PostgreSQL differ. The statements themselves are the same text for both, so the rule is written once.
 */
import type * as Effect from "effect/Effect"
import type { JournalError } from "../SendJournal.ts"

export type Value = string | number | null

export type Result = ReadonlyArray<unknown>

/** Parameters are `$1`, `$2`, …; a list is one parameter of JSON. */
export type Query = (
  sql: string,
  ...params: ReadonlyArray<Value>
) => Effect.Effect<Result, JournalError>

export interface Dialect {
  /** The table of a name, with its schema. */
  readonly table: (name: string) => string
  /** Returns a row if there is a table of the name `$1`. */
  readonly isTable: string
  /** A table with the column `value`: the elements of a JSON list. */
  readonly elements: (param: string) => string
  /** A table `fields` with the columns, each `name type`: the objects of a JSON list. */
  readonly records: (param: string, ...columns: ReadonlyArray<string>) => string
  /** Ends a query whose rows stay as they are until the transaction ends. */
  readonly forUpdate: string
  readonly integer: string
  /** The type of an id that is never used twice. */
  readonly identity: string
  /** The storage of a table whose rows change often. */
  readonly oftenUpdated: string
}

interface Turn {
  readonly settle: string
  readonly claim: string
}

export interface Database {
  readonly dialect: Dialect
  /** One statement, in a transaction of its own. */
  readonly query: Query
  /**
   * Runs `body` in one durable transaction. It may run more than once, after a commit whose
   * acknowledgement was lost too: a second run must change nothing.
   */
  readonly transaction: <A, E>(
    body: (query: Query) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E | JournalError>
  /**
   * Holds back other transactions with the same name until this one ends. SQLite has one writer at a
   * time anyway.
   */
  readonly lock: (query: Query, name: string) => Effect.Effect<void, JournalError>
  /**
   * Settles, then claims while the slice `$1` has the epoch `$2`: the turn of an attempt, in one durable
   * transaction. Both statements name only the parameters that they use. Returns what the claim returns.
   */
  readonly turn: (
    turn: (fence: string) => Turn,
    ...params: ReadonlyArray<Value>
  ) => Effect.Effect<Result, JournalError>
}
