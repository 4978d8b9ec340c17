/** A journal in PostgreSQL, for processes on several machines. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { type JournalError, JournalUnavailable } from "./Errors.ts"
import { SendJournal } from "./SendJournal.ts"

/**
 * A journal in the database of the `PgClient`, in the schema `messaging_topup_journal`.
 *
 * The first start creates the schema and needs the right to do so. Later starts need the right to read
 * and write its tables. The server must run with `fsync`, as it does by default.
 */
export const layer: Layer.Layer<SendJournal, JournalError, PgClient.PgClient> = Layer.effect(
  SendJournal,
  Effect.die(new Error("not written yet"))
)

/** The same, with a client of its own. No error contains the URL, which has the password. */
export const layerUrl = (url: Redacted.Redacted): Layer.Layer<SendJournal, JournalError> =>
  Layer.provide(layer, PgClient.layer({ url })).pipe(
    // The text of the client's error could contain the URL.
    Layer.catchTag("SqlError", () =>
      Layer.effect(SendJournal, Effect.fail(new JournalUnavailable({ problem: "unreachable" })))
    )
  )
