/**
 * Keyed digests: without the key, nobody can find the phone numbers in a copy of the sends by trying all
 * numbers. The key is stored in the journal, so that all its processes make the same digests.
 */
import * as Effect from "effect/Effect"
import { hash, randomBytes } from "node:crypto"
import type { Database } from "../database/Database.ts"
import { rowOf, text } from "../database/Rows.ts"
import { JournalUnavailable } from "../model/Errors.ts"

export type Digest = (parts: ReadonlyArray<string>) => string

/**
 * 132 bits are enough, and a million rows take 40 MB less than with all. The cut makes the key before the
 * text as safe as an HMAC, which costs three times as much: who would go on with a hash needs all of it.
 */
const digestLength = 22

export const makeDigest = Effect.fnUntraced(function* ({ dialect, read, transaction }: Database) {
  const setting = dialect.table("setting")
  const select = `select value from ${setting} where name = 'digest'`
  const insert = `insert into ${setting} (name, value) values ('digest', $1) on conflict (name) do nothing`
  const make = transaction((query) =>
    Effect.andThen(query(insert, randomBytes(32).toString("base64url")), query(select))
  )
  // Read first, so that only the first start writes.
  const found = Effect.filterOrElse(
    read(select),
    (rows) => rows.length > 0,
    () => make
  )
  const key = yield* rowOf(found, (row) => text(row, "value"))
  if (key === undefined) return yield* Effect.fail(new JournalUnavailable({ problem: "corrupt" }))
  const digest: Digest = (parts) =>
    hash("sha256", key + JSON.stringify(parts), "base64url").slice(0, digestLength)
  return digest
})
