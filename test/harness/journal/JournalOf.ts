/**
 * The journal that an argument of a test program names.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import type { SendJournal } from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Postgres from "@messaging-topup/journal/postgres"
import * as Layer from "effect/Layer"
import type { SqlError } from "effect/sql/SqlError"

/** The settings of a client of the tests' PostgreSQL. */
export const configOf = (port: number) => ({
  host: "127.0.0.1",
  port,
  username: "journal",
  database: "postgres"
})

type Opening = Layer.Error<ReturnType<typeof Sqlite.layer>> | SqlError

/** `sqlite:FILE` or `postgres:PORT`. */
export const journalOf = (place: string): Layer.Layer<SendJournal, Opening> => {
  const kind = place.slice(0, place.indexOf(":"))
  const where = place.slice(kind.length + 1)
  if (kind === "sqlite") return Sqlite.layer(where)
  return Postgres.layer.pipe(Layer.provide(PgClient.layer(configOf(Number(where)))))
}
