/**
 * A journal in PostgreSQL, which replicas can share.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import {
  type JournalError,
  JournalUnavailable,
  type SendClaims,
  type SendJournal
} from "@messaging-topup/journal"
import * as Postgres from "@messaging-topup/journal/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"

export const layer = (
  url: Redacted.Redacted
): Layer.Layer<SendClaims | SendJournal, JournalError> =>
  Postgres.layer.pipe(
    Layer.provide(PgClient.layer({ url })),
    // The error of the PostgreSQL client could repeat the URL, which holds the password.
    Layer.catchTag("SqlError", () =>
      Layer.effectContext<SendClaims | SendJournal, JournalError, never>(
        Effect.fail(new JournalUnavailable({ problem: "unreachable" }))
      )
    )
  )
