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

export const makeDigest = Effect.fnUntraced(function* ({ dialect, transaction }: Database) {
  const secret = dialect.table("secret")
  const made = randomBytes(32).toString("base64url")
  const found = yield* transaction((query) =>
    Effect.andThen(
      query(
        `insert into ${secret} (name, value) values ('digest', $1) on conflict (name) do nothing`,
        made
      ),
      query(`select value from ${secret} where name = 'digest'`)
    )
  )
  const [key] = yield* secrets(found)
  if (key === undefined) return yield* new JournalUnavailable({ problem: "corrupt" })
  const digest: Digest = (parts) =>
    createHmac("sha256", key.value).update(JSON.stringify(parts)).digest("base64url")
  return digest
})
