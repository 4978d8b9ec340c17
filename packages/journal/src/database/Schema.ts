/** The tables of the journal. */
import * as Effect from "effect/Effect"
import { type JournalError, JournalUnavailable } from "../model/Errors.ts"
import type { Database, Dialect, Query } from "./Database.ts"
import { randomBytes } from "node:crypto"
import { rowOf, text } from "./Rows.ts"

/**
 * The version of the tables. A change of them is a step from the version before, in the transaction that also
 * writes the new version.
 */
const version = "2"

/**
 * `attempt` counts the claims of a key, so that a unique index refuses a second claim in the same statement that
 * inserts it. The key says whether a send belongs to a campaign, and to which: its rows are a range of keys.
 * Few keys have a second attempt, and few sends are of the server: their indexes cost the others nothing. That
 * of the server has all that its limits add up.
 */
const statements = ({ identity, integer, key, table }: Dialect): ReadonlyArray<string> => [
  `create table ${table("setting")} (name text primary key, value text not null)`,
  `create table ${table("send")} (
    id ${identity},
    key ${key} not null,
    attempt ${integer} not null,
    owner text not null,
    token text not null,
    request text not null,
    recipient text not null,
    content text not null,
    caller text,
    batch text,
    segments ${integer},
    counts_for ${integer},
    state text not null,
    claimed_at ${integer} not null,
    stale_at ${integer} not null,
    settled_at ${integer},
    decided_at ${integer},
    messages text,
    reason text
  )`,
  `create unique index send_key on ${table("send")} (key, attempt)`,
  `create index send_again on ${table("send")} (key) where attempt > 0`,
  `create index send_server on ${table("send")} 
    (claimed_at, state, segments, caller, recipient) where owner = 'server'`,
  `create table ${table("campaign")} (
    name ${key} primary key,
    folder text,
    options text,
    pruned_at ${integer}
  )`,
  `create table ${table("approval")} (
    nonce text primary key,
    expires_at ${integer} not null,
    approved ${integer} not null
  )`,
  `create table ${table("rate")} (name text primary key, next_at ${integer} not null)`
]

const versionOf = Effect.fnUntraced(function* ({ isTable, table }: Dialect, query: Query) {
  if ((yield* query(isTable, "setting")).length === 0) return undefined
  const found = yield* rowOf(
    query(`select value from ${table("setting")} where name = 'version'`),
    (row) => text(row, "value")
  )
  return found ?? ""
})

/**
 * Creates the tables if there are none, and the key of the digests with them: without its key, a journal knows
 * nothing. `created` says so to people; without it, the tables must be there.
 */
export const makeTables = Effect.fnUntraced(function* (
  { dialect, lock, prepare, read, transaction }: Database,
  created: Effect.Effect<void> | undefined
): Effect.fn.Return<void, JournalError> {
  let isNew = false
  // Read first, without a lock: only the first start writes.
  const known = yield* versionOf(dialect, read)
  if (known === undefined && created === undefined) {
    return yield* Effect.fail(new JournalUnavailable({ problem: "missing" }))
  }
  const found =
    known ??
    (yield* transaction(
      (query) =>
        Effect.gen(function* () {
          yield* lock(query, "tables")
          // Another process may have created them in the meantime.
          const others = yield* versionOf(dialect, query)
          if (others !== undefined) return others
          yield* prepare(query)
          for (const statement of statements(dialect)) yield* query(statement)
          yield* query(
            `insert into ${dialect.table("setting")} (name, value) values ('version', $1), ('digest', $2)`,
            version,
            randomBytes(32).toString("base64url")
          )
          isNew = true
          return version
        })
      // A first start that is interrupted would leave an empty file, which nobody opens again.
    ).pipe(Effect.uninterruptible))
  if (found !== version) {
    const problem = found === "" ? "incomplete" : "other-version"
    return yield* Effect.fail(new JournalUnavailable({ problem }))
  }
  if (isNew && created !== undefined) yield* created
})
