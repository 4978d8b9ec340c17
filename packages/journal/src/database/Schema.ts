/** The tables of the journal. */
import * as Effect from "effect/Effect"
import { type JournalError, JournalUnavailable } from "../model/Errors.ts"
import type { Database, Dialect, Query } from "./Database.ts"
import { randomBytes } from "node:crypto"
import { rowOf, text } from "./Rows.ts"

/** The version of the tables. A change of them is a step from the version before. */
const version = "3"

/** What makes a second SMS to somebody is found by its recipient. */
const recipientIndex = ({ table }: Dialect): string =>
  `create index send_recipient on ${table("send")} (recipient)`

const isRehearsal = (name: string): string =>
  `(${name} >= 'sandbox:' and ${name} < 'sandbox;' or ${name} >= 'trial:' and ${name} < 'trial;')`

/**
 * The steps from earlier versions, each to the next one. A version 2 also has the rows of rehearsals, which count
 * for nothing.
 */
const steps: Readonly<Record<string, (dialect: Dialect) => ReadonlyArray<string>>> = {
  2: (dialect) => {
    const { table } = dialect
    return [
      `delete from ${table("send")} where ${isRehearsal("key")}`,
      `delete from ${table("campaign")} where ${isRehearsal("name")}`,
      `alter table ${table("send")} drop column counts_for`,
      `alter table ${table("send")} add column stale_uptime ${dialect.integer}`,
      `drop table ${table("rate")}`,
      recipientIndex(dialect)
    ]
  }
}

/**
 * `attempt` counts the claims of a key, so that a unique index refuses a second claim in the same statement that
 * inserts it. The key says whether a send belongs to a campaign, and to which: its rows are a range of keys.
 * Few keys have a second attempt, and few sends are of the server: their indexes cost the others nothing. That
 * of the server has all that its limit counts.
 */
const statements = (dialect: Dialect): ReadonlyArray<string> => {
  const { identity, integer, key, table } = dialect
  return [
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
    state text not null,
    claimed_at ${integer} not null,
    stale_at ${integer} not null,
    settled_at ${integer},
    decided_at ${integer},
    messages text,
    reason text,
    stale_uptime ${integer}
  )`,
    `create unique index send_key on ${table("send")} (key, attempt)`,
    `create index send_again on ${table("send")} (key) where attempt > 0`,
    recipientIndex(dialect),
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
  )`
  ]
}

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
 * nothing. `created` says so to people; without it, the tables must be there. Takes the steps to this version, all
 * or none of them.
 */
export const makeTables = Effect.fnUntraced(function* (
  { dialect, lock, prepare, read, transaction }: Database,
  created: Effect.Effect<void> | undefined
): Effect.fn.Return<void, JournalError> {
  const setting = dialect.table("setting")

  const create = Effect.fnUntraced(function* (query: Query) {
    yield* prepare(query)
    for (const statement of statements(dialect)) yield* query(statement)
    yield* query(
      `insert into ${setting} (name, value) values ('version', $1), ('digest', $2)`,
      version,
      randomBytes(32).toString("base64url")
    )
  })

  const upgrade = Effect.fnUntraced(function* (query: Query, from: string) {
    for (let at = from; at !== version; at = String(Number(at) + 1)) {
      const step = steps[at]
      if (step === undefined) {
        const problem = from === "" ? "incomplete" : "other-version"
        return yield* Effect.fail(new JournalUnavailable({ problem }))
      }
      for (const statement of step(dialect)) yield* query(statement)
    }
    yield* query(`update ${setting} set value = $1 where name = 'version'`, version)
  })

  // Read first, without a lock: only the first start of a version writes.
  const found = yield* versionOf(dialect, read)
  if (found === version) return
  if (found === undefined && created === undefined) {
    return yield* Effect.fail(new JournalUnavailable({ problem: "missing" }))
  }
  let isNew = false
  yield* transaction(
    (query) =>
      Effect.gen(function* () {
        yield* lock(query, "tables")
        // Another process may have done it in the meantime.
        const known = yield* versionOf(dialect, query)
        isNew = known === undefined
        if (known === undefined) return yield* create(query)
        if (known !== version) yield* upgrade(query, known)
      })
    // A first start that is interrupted would leave an empty file, which nobody opens again.
  ).pipe(Effect.uninterruptible)
  if (isNew && created !== undefined) yield* created
})
