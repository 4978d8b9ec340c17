/**
 * A journal in PostgreSQL, shared by all processes that reach it.
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
 * A journal in the database of the client, in the schema `messaging_topup_journal`. The first start
 * creates it, and needs the right to; later ones need the right to read and write it. The server must run
 * with `fsync`, as it does by default. The clocks of the processes must agree to a few seconds.
 *
 * @since 0.1.0
 */
export const layer: Layer.Layer<
  CampaignJournal | SendClaims | SendJournal,
  JournalError,
  PgClient
> = layerOf(Effect.map(PgClient, connect), createSchema)
