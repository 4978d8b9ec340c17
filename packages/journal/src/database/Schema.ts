/** The tables of the journal. */
import * as Effect from "effect/Effect"
import { type JournalError, JournalUnavailable } from "../model/Errors.ts"
import { ofUnknownOutcome } from "../model/States.ts"
import { type Database, type Dialect, isOneOf, type Query } from "./Database.ts"
import { randomBytes } from "node:crypto"
import { rowsOf, text } from "./StoredRows.ts"

/**
 * The version of what is stored. It rises with each change of a table, of a stored word, and of what a digest is made of.
 * It began at 4, because journals of two forms had the number 3.
 */
const version = 12

/**
 * `attempt` counts the claims of a key, so that a unique index refuses a second claim in the same statement that
 * inserts it. The key says whether a send belongs to a campaign, and to which: its rows are a range of keys.
 * Few keys have a second attempt, and few sends are of the server: their indexes cost the others nothing. That
 * of the server has all that its limit counts. That of unknown outcomes has few entries, also of a number with many sends.
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
    ticket text not null,
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
    // What makes a second SMS to somebody is found by its recipient, among the many of a number by the text.
    `create index send_recipient on ${table("send")} (recipient, content)`,
    `create index send_server on ${table("send")} 
    (claimed_at, state, segments, caller, recipient) where owner = 'server'`,
    `create index send_unknown on ${table("send")}
    (recipient) where caller is not null and ${isOneOf("state", ofUnknownOutcome)}`,
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

/** Without one of these, nothing can be claimed, or somebody gets a second SMS. */
const needed = ["setting", "send", "send_key", "campaign", "approval"]

/** A query for the version; it returns no row if that is lost. */
export const versionSql = (setting: string): string =>
  `select value from ${setting} where name = 'version'`

/** Why a journal of a version is refused; undefined if it is of this version. */
export const refusalOf = (found: string): JournalUnavailable | undefined => {
  if (found === String(version)) return undefined
  const problem = Number(found) < version ? "unreleased-version" : "other-version"
  return new JournalUnavailable({ problem, code: `version ${found}` })
}

const incomplete = () => new JournalUnavailable({ problem: "incomplete" })

/** The key of the digests; undefined if there is no journal. Fails if it is of another version, or lost a part. */
export const digestKeyIn = Effect.fnUntraced(function* ({ parts, table }: Dialect, query: Query) {
  const found = new Set(yield* rowsOf(query(parts), (row) => text(row, "name")))
  if (found.size === 0) return undefined
  if (!found.has("setting")) return yield* Effect.fail(incomplete())
  const settings = yield* rowsOf(
    query(`select name, value from ${table("setting")}`),
    (row) => [text(row, "name"), text(row, "value")] as const
  )
  const { digest, version: written } = Object.fromEntries(settings)
  const refusal = written === undefined ? incomplete() : refusalOf(written)
  if (refusal !== undefined) return yield* Effect.fail(refusal)
  // A journal of another version has other parts.
  if (digest === undefined || needed.some((part) => !found.has(part))) {
    return yield* Effect.fail(incomplete())
  }
  return digest
})

/**
 * Creates the tables if there are none, and the key of the digests with them: without its key, a journal knows
 * nothing. `created` says so to people; without it, the tables must be there. Returns the key.
 */
export const makeTables = Effect.fnUntraced(function* (
  { dialect, lock, prepare, read, transaction }: Database,
  created: Effect.Effect<void> | undefined
): Effect.fn.Return<string, JournalError> {
  // Read first, without a lock: only the first start writes.
  const known = yield* digestKeyIn(dialect, read)
  if (known !== undefined) return known
  if (created === undefined) {
    return yield* Effect.fail(new JournalUnavailable({ problem: "missing" }))
  }
  const fresh = randomBytes(32).toString("base64url")
  const made = yield* transaction(
    Effect.fnUntraced(function* (query: Query) {
      yield* lock(query, "tables")
      // Another process may have done it in the meantime.
      const found = yield* digestKeyIn(dialect, query)
      if (found !== undefined) return found
      yield* prepare(query)
      for (const statement of statements(dialect)) yield* query(statement)
      yield* query(
        `insert into ${dialect.table("setting")} (name, value) values ('version', $version), ('digest', $digest)`,
        { version: String(version), digest: fresh }
      )
      return fresh
    })
    // A first start that is interrupted would leave an empty file, which only a person fills.
  ).pipe(Effect.uninterruptible)
  if (made === fresh) yield* created
  return made
})
