/**
 * The interface to a database: statements, transactions, and the places where the SQL of SQLite and
 * PostgreSQL differs. All other SQL is shared, so that the rules are written once.
 */
import type * as Effect from "effect/Effect"
import type { JournalError } from "../model/Errors.ts"

export type Value = string | number | null

export type Result = ReadonlyArray<Readonly<Record<string, unknown>>>

/** The values of a statement's parameters, by their names. A list is one of JSON. */
export type Params = Readonly<Record<string, Value>>

/** Runs a statement. A parameter is written as `$name`. */
export type Query = (sql: string, params?: Params) => Effect.Effect<Result, JournalError>

/** Whether a column has one of these words. */
export const isOneOf = (column: string, words: ReadonlyArray<string>): string =>
  `${column} in (${words.map((word) => `'${word}'`).join(", ")})`

export interface Dialect {
  /** The name of a table, with its schema. */
  readonly table: (name: string) => string
  /** A query for the `name` of everything that is there. Without a row, there is no journal yet. */
  readonly parts: string
  /** The time in milliseconds since 1970: that of the database, so that its processes agree on it. */
  readonly now: string
  /**
   * The milliseconds since this machine started, which no set clock changes; null if they are not known, or if the
   * database tells the time itself.
   */
  readonly uptime: string
  /** The elements of a JSON list, as a table with the column `value`. */
  readonly elements: (param: string) => string
  /** The objects of a JSON list, as a table `fields` with the given columns, each `name type`. */
  readonly jsonTable: (param: string, ...columns: ReadonlyArray<string>) => string
  /** The type of a text that is compared by its bytes. */
  readonly key: string
  readonly integer: string
  /** What locks the rows that a query reads, until the transaction ends. SQLite has one writer at a time. */
  readonly forUpdate: string
  /** The type of a generated id. An id is never used twice. */
  readonly identity: string
}

/**
 * The statements of one write, in their order; what has nothing to do is absent. Each but `before` has a `where` that
 * begins with `guard`. `claim` returns the `id` and `key` of each row that it claims.
 */
export interface WriteStatements {
  /** Selects one row of facts, as they are without this write. */
  readonly before: string
  readonly settle?: (guard: string) => string
  readonly release?: (guard: string) => string
  readonly claim?: (guard: string) => string
}

/**
 * What a transaction has to do with claims. One that asks what others have claimed begins only when no other that
 * claims or decides is under way, and sees them all. The others do not wait for each other.
 */
export type Claims = "none" | "some" | "asking"

export interface Database {
  readonly dialect: Dialect
  /** The journal, as people read of it. */
  readonly name: string
  /** The server to store as that of the journal, if it is not the one that is stored. */
  readonly server?: string | undefined
  /** Fails if another server took over, which no person has accepted: reads go on there. */
  readonly checkServer: Effect.Effect<void, JournalError>
  /** Fails if a part of the journal's file cannot be read, which takes as long as to read all of it. */
  readonly checkWhole: Effect.Effect<void, JournalError>
  /** Is told the key of the journal's digests, by which it knows the same journal on another server. */
  readonly opened?: (digestKey: string) => void
  /** Runs once, in the transaction that creates the tables, before it does. */
  readonly prepare: (query: Query) => Effect.Effect<void, JournalError>
  /** Runs one statement that only reads. */
  readonly read: Query
  /** Runs one statement that looks many rows up by an index. */
  readonly search: Query
  /** What is read after it comes from the disk, and not from a cache of this process. */
  readonly reread: Effect.Effect<void>
  /**
   * Runs `body` in one durable transaction. `body` may run again, even after a commit whose
   * acknowledgement was lost: the second run must change nothing.
   */
  readonly transaction: <A, E>(
    body: (query: Query) => Effect.Effect<A, E>,
    claims?: Claims
  ) => Effect.Effect<A, E | JournalError>
  /**
   * Makes other transactions that lock the same name wait until this one ends. SQLite needs no such lock:
   * it has one writer at a time.
   */
  readonly lock: (query: Query, name: string) => Effect.Effect<void, JournalError>
  /**
   * Runs the statements in one durable transaction. Returns the row of `before` with the id and key of each claim, or once
   * without.
   */
  readonly write: (
    statements: WriteStatements,
    claims: Claims,
    params: Params
  ) => Effect.Effect<Result, JournalError>
}
