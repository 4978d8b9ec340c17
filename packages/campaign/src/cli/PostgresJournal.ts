/**
 * A journal in PostgreSQL. A separate file, because it imports an optional package.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import {
  type CampaignJournal,
  type JournalError,
  JournalUnavailable,
  type SendJournal
} from "@messaging-topup/journal"
import * as Postgres from "@messaging-topup/journal/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"

export const layer = (
  url: Redacted.Redacted
): Layer.Layer<CampaignJournal | SendJournal, JournalError> =>
  Postgres.layer.pipe(
    Layer.provide(PgClient.layer({ url })),
    // The client's error text could contain the address.
    Layer.catchTag("SqlError", () =>
      Layer.effectContext<CampaignJournal | SendJournal, JournalError, never>(
        Effect.fail(new JournalUnavailable({ problem: "unreachable" }))
      )
    )
  )
