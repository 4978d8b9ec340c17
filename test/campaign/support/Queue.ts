/**
 * The queue in PostgreSQL with locks that expire after a second, so that tests do not wait for 30
 * seconds. `place` is that of the journal: `postgres:PORT`.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Layer from "effect/Layer"
import * as PersistedQueue from "effect/persistence/PersistedQueue"

export const quickQueue = (place: string) =>
  PersistedQueue.layer.pipe(
    Layer.provide(
      PersistedQueue.layerStoreSql({
        tableName: "messaging_topup_queue",
        pollInterval: "50 millis",
        lockRefreshInterval: "300 millis",
        lockExpiration: "1 second"
      })
    ),
    Layer.provide(
      PgClient.layer({
        host: "127.0.0.1",
        port: Number(place.split(":")[1]),
        username: "journal",
        database: "postgres"
      })
    )
  )
