/**
 * Migrates a database to the version of this package, forward only.
 *
 * To change the tables, add a file to `migrations/`. Never change an existing one: databases of earlier
 * releases have already run it.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { JournalUnavailable } from "../errors/JournalUnavailable.ts"
import type { JournalError } from "../errors/JournalError.ts"
import type { Database, Dialect, Query } from "./Database.ts"
import { tables } from "./migrations/0003_Tables.ts"
import { Integer, decoderOf } from "./ResultDecoder.ts"

const migrations: ReadonlyArray<(dialect: Dialect) => ReadonlyArray<string>> = [tables]

/** The version of the first migration. The layouts of lower versions were never released. */
const firstVersion = 3

const versions = decoderOf(Schema.Struct({ version: Integer }))

/** The number of the last migration that ran; 0 for a new database. */
const versionOf = Effect.fnUntraced(function* ({ isTable, integer, table }: Dialect, query: Query) {
  const isThere = (yield* query(isTable, "version")).length > 0
  if (!isThere) yield* query(`create table ${table("version")} (version ${integer} not null)`)
  const found = yield* query(`select coalesce(max(version), 0) as version from ${table("version")}`)
  return (yield* versions(found))[0]?.version ?? 0
})

/** `prepare` creates the schema of the tables. */
export const migrate = (
  { dialect, lock, transaction }: Database,
  prepare: (query: Query) => Effect.Effect<void, JournalError>
): Effect.Effect<void, JournalError> =>
  transaction((query) =>
    Effect.gen(function* () {
      yield* lock(query, "migrations")
      yield* prepare(query)
      const version = yield* versionOf(dialect, query)
      if (version > 0 && version < firstVersion) {
        return yield* new JournalUnavailable({ problem: "older" })
      }
      if (version >= firstVersion + migrations.length) {
        return yield* new JournalUnavailable({ problem: "newer" })
      }
      for (const [index, migration] of migrations.entries()) {
        const number = firstVersion + index
        if (number <= version) continue
        for (const statement of migration(dialect)) yield* query(statement)
        yield* query(`insert into ${dialect.table("version")} (version) values ($1)`, number)
      }
    })
  )
