/**
 * Whether the journal can be written.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Database } from "../database/Database.ts"

/** SQLite does not write a row that stays the same, so a full disk shows only when the value is new. */
export const makeCheck = ({ dialect, transaction }: Database) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    transaction((query) =>
      query(
        `insert into ${dialect.table("secret")} (name, value) values ('checked', $1)
        on conflict (name) do update set value = excluded.value`,
        String(now)
      )
    )
  ).pipe(Effect.asVoid)
