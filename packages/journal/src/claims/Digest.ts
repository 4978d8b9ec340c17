/**
 * Keyed digests: without the key, nobody can find the phone numbers in a copy of the single sends by
 * trying all numbers. The key is stored in the journal, so that all its processes make the same digests.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { createHmac, randomBytes } from "node:crypto"
import { JournalUnavailable } from "../errors/JournalUnavailable.ts"
import type { Database } from "../database/Database.ts"
import { decoderOf } from "../database/ResultDecoder.ts"

export type Digest = (parts: ReadonlyArray<string>) => string

const secrets = decoderOf(Schema.Struct({ value: Schema.String }))

export const makeDigest = Effect.fnUntraced(function* ({
  dialect,
  query: ask,
  transaction
}: Database) {
  const secret = dialect.table("secret")
  const select = `select value from ${secret} where name = 'digest'`
  const insert = `insert into ${secret} (name, value) values ('digest', $1) on conflict (name) do nothing`
  const make = transaction((query) =>
    Effect.andThen(query(insert, randomBytes(32).toString("base64url")), query(select))
  )
  // Read first, so that only the first start writes.
  const [key] = yield* secrets(
    yield* Effect.filterOrElse(
      ask(select),
      (rows) => rows.length > 0,
      () => make
    )
  )
  if (key === undefined) return yield* new JournalUnavailable({ problem: "corrupt" })
  const digest: Digest = (parts) =>
    createHmac("sha256", key.value).update(JSON.stringify(parts)).digest("base64url")
  return digest
})
