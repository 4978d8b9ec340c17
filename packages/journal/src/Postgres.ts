/** A journal in PostgreSQL, for processes on several machines. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { CampaignJournal } from "./slices/CampaignJournal.ts"
import { JournalUnavailable } from "./errors/JournalUnavailable.ts"
import { layerOf } from "./Layer.ts"
import { connect, createSchema } from "./database/PostgresDatabase.ts"
import type { SendClaims } from "./claims/SendClaims.ts"
import type { JournalError } from "./errors/JournalError.ts"
import type { SendJournal } from "./SendJournal.ts"

type Services = CampaignJournal | SendClaims | SendJournal

/**
 * A journal in the database of the `PgClient`, in the schema `messaging_topup_journal`.
 *
 * The first start creates the schema and needs the right to do so. Later starts need the right to read
 * and write its tables. The server must run with `fsync`, as it does by default. The clocks of all
 * processes must agree within a few seconds.
 */
export const layer: Layer.Layer<Services, JournalError, PgClient.PgClient> = layerOf(
  Effect.map(PgClient.PgClient, connect),
  createSchema
)

/** The same, with a client of its own. No error contains the URL, which has the password. */
export const layerUrl = (url: Redacted.Redacted): Layer.Layer<Services, JournalError> =>
  Layer.provide(layer, PgClient.layer({ url })).pipe(
    // The text of the client's error could contain the URL.
    Layer.catchTag("SqlError", () =>
      Layer.effectContext<Services, JournalError, never>(
        Effect.fail(new JournalUnavailable({ problem: "unreachable" }))
      )
    )
  )
