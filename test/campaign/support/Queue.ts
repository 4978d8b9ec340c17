/**
 * The queue in PostgreSQL with locks that expire after a second, so that tests do not wait for 30
 * seconds.
 */
import * as Layer from "effect/Layer"
import * as PersistedQueue from "effect/persistence/PersistedQueue"

export const quickQueue = Layer.provide(
  PersistedQueue.layer,
  PersistedQueue.layerStoreSql({
    tableName: "messaging_topup_queue",
    pollInterval: "50 millis",
    lockRefreshInterval: "300 millis",
    lockExpiration: "1 second"
  })
)
