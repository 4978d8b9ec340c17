/** A journal in PostgreSQL, for processes on several machines. */
import "@messaging-topup/core/internal/node"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { connect, type ConnectOptions, failure } from "./database/PostgresDatabase.ts"
import type { JournalError } from "./model/Errors.ts"
import { layerOf } from "./sends/Journal.ts"
import { SendJournal } from "./sends/SendJournal.ts"

const layerWith = (options: ConnectOptions) =>
  layerOf(Effect.flatMap(PgClient.PgClient, (client) => connect(client, options)))

/**
 * A journal in the database of the `PgClient`, in the schema `messaging_topup_journal`.
 *
 * The first start creates the schema and needs the right to do so. Later starts need the right to read
 * and write its tables. The server must run with `fsync`, as it does by default. Through a pooler that changes
 * connections between transactions, the client needs `prepare: false`.
 */
export const layer: Layer.Layer<SendJournal, JournalError, PgClient.PgClient> = layerWith({})

/**
 * The same after another server took over, which may lack the newest sends: for one start, after a person has
 * compared the journal with the service.
 */
export const layerAcceptFailover: Layer.Layer<SendJournal, JournalError, PgClient.PgClient> =
  layerWith({ acceptFailover: true })

/** With a client of its own. No error contains the URL, which has the password. */
export const layerUrl = (
  url: Redacted.Redacted,
  options: ConnectOptions
): Layer.Layer<SendJournal, JournalError> =>
  Layer.provide(layerWith(options), PgClient.layer({ url, prepare: false })).pipe(
    Layer.catchTag("SqlError", (error) => Layer.effect(SendJournal, Effect.fail(failure(error))))
  )
