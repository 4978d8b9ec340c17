/** A journal in PostgreSQL, for processes on several machines. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { connect, createSchema, failure } from "./database/PostgresDatabase.ts"
import type { JournalError } from "./Errors.ts"
import { layerOf } from "./Layer.ts"
import { SendJournal } from "./SendJournal.ts"

/** How a journal in PostgreSQL is opened. */
export interface PostgresOptions {
  /**
   * Goes on although another database server took over, or a copy was restored, and the last sends may be
   * missing in it: they can go out again. Default: false, so that a person decides.
   */
  readonly acceptFailover?: boolean | undefined
}

/** The same as `layer`, with options. */
export const layerOptions = ({
  acceptFailover = false
}: PostgresOptions): Layer.Layer<SendJournal, JournalError, PgClient.PgClient> =>
  layerOf(Effect.flatMap(PgClient.PgClient, connect), {
    prepare: createSchema,
    acceptsFailover: acceptFailover
  })

/**
 * A journal in the database of the `PgClient`, in the schema `messaging_topup_journal`.
 *
 * The first start creates the schema and needs the right to do so. Later starts need the right to read
 * and write its tables. The server must run with `fsync`, as it does by default. Through a pooler that changes
 * connections between transactions, the client needs `prepare: false`.
 */
export const layer: Layer.Layer<SendJournal, JournalError, PgClient.PgClient> = layerOptions({})

/** The same, with a client of its own. No error contains the URL, which has the password. */
export const layerUrl = (
  url: Redacted.Redacted,
  options: PostgresOptions = {}
): Layer.Layer<SendJournal, JournalError> =>
  Layer.provide(layerOptions(options), PgClient.layer({ url, prepare: false })).pipe(
    Layer.catchTag("SqlError", (error) => Layer.effect(SendJournal, Effect.fail(failure(error))))
  )
