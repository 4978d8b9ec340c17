/** A journal in PostgreSQL, for processes on several machines. */
import "@messaging-topup/core/internal/node"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { connect } from "./database/PostgresDatabase.ts"
import type { JournalError } from "./model/Errors.ts"
import { layerOf } from "./sends/JournalLayer.ts"
import type { SendJournal } from "./sends/SendJournal.ts"

/**
 * A journal in the database of the `PgClient`, in the schema `messaging_topup_journal`.
 *
 * The first start creates the schema and needs the right to do so. Later starts need the right to read
 * and write its tables. The server must run with `fsync`, as it does by default. Through a pooler that changes
 * connections between transactions, the client needs `prepare: false`.
 */
export const layer: Layer.Layer<SendJournal, JournalError, PgClient.PgClient> = layerOf(
  Effect.flatMap(PgClient.PgClient, (client) => connect(client)),
  Effect.void
)
