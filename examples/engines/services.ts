/** The service, and the journal in the PostgreSQL database of DATABASE_URL. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { layerConfig } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Postgres from "@messaging-topup/journal/postgres"
import * as Config from "effect/Config"
import * as Layer from "effect/Layer"

export const database = PgClient.layerConfig({ url: Config.Redacted("DATABASE_URL") })

export const services = Layer.merge(
  Layer.provide(layerConfig, NodeTransport.layer),
  Layer.provide(Postgres.layer, database)
)
