/**
 * A journal in PostgreSQL, for processes on several machines.
 *
 * @since 0.1.0
 */
import { PgClient } from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { CampaignJournal } from "./CampaignJournal.ts"
import { layerOf } from "./internal/Layer.ts"
import { connect, createSchema } from "./internal/Postgres.ts"
import type { SendClaims } from "./SendClaims.ts"
import type { JournalError, SendJournal } from "./SendJournal.ts"

/**
 * A journal in the database of the `PgClient`, in the schema `messaging_topup_journal`.
 *
 * The first start creates the schema and needs the right to do so. Later starts need the right to read
 * and write its tables. The server must run with `fsync`, as it does by default. The clocks of all
 * processes must agree within a few seconds.
 *
 * @since 0.1.0
 */
export const layer: Layer.Layer<
  CampaignJournal | SendClaims | SendJournal,
  JournalError,
  PgClient
> = layerOf(Effect.map(PgClient, connect), createSchema)
