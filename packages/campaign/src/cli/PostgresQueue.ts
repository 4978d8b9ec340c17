/**
 * A queue of slices in PostgreSQL. A separate file, because it imports an optional package.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { JournalUnavailable } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { PersistedQueueFactory } from "effect/persistence/PersistedQueue"
import type * as Redacted from "effect/Redacted"
import { layerQueueSql } from "../sending/Workers.ts"

export const layer = (
  url: Redacted.Redacted
): Layer.Layer<PersistedQueueFactory, JournalUnavailable> =>
  Layer.provide(layerQueueSql, PgClient.layer({ url })).pipe(
    // The client's error text could contain the address.
    Layer.catchTag("SqlError", () =>
      Layer.effectContext<PersistedQueueFactory, JournalUnavailable, never>(
        Effect.fail(new JournalUnavailable({ problem: "unreachable" }))
      )
    )
  )
