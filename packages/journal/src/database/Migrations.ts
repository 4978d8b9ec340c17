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
import { runningTotals } from "./migrations/0004_RunningTotals.ts"
import { Integer, decoderOf } from "./ResultDecoder.ts"

const migrations: ReadonlyArray<(dialect: Dialect) => ReadonlyArray<string>> = [
  tables,
  runningTotals
]

/** The version of the first migration. The layouts of lower versions were never released. */
const firstVersion = 3

const versions = decoderOf(Schema.Struct({ version: Integer }))

/** The number of the last migration that ran; 0 for a new database. */
const versionOf = Effect.fnUntraced(function* ({ isTable, table }: Dialect, query: Query) {
  const isThere = (yield* query(isTable, "version")).length > 0
  if (!isThere) return 0
  const found = yield* query(`select coalesce(max(version), 0) as version from ${table("version")}`)
  return (yield* versions(found))[0]?.version ?? 0
})

/**
 * Reads the version first, without a lock: a journal that is up to date needs no write. `prepare` creates
 * the schema of the tables.
 */
export const migrate = Effect.fnUntraced(function* (
  { dialect, lock, query: ask, transaction }: Database,
  prepare: (query: Query) => Effect.Effect<void, JournalError>
): Effect.fn.Return<void, JournalError> {
  const last = firstVersion + migrations.length - 1
  const readable = (version: number) => {
    if (version > last) return Effect.fail(new JournalUnavailable({ problem: "newer" }))
    return version > 0 && version < firstVersion
      ? Effect.fail(new JournalUnavailable({ problem: "older" }))
      : Effect.succeed(version)
  }
  if ((yield* readable(yield* versionOf(dialect, ask))) === last) return
  yield* transaction((query) =>
    Effect.gen(function* () {
      yield* lock(query, "migrations")
      yield* prepare(query)
      // Another process may have migrated in the meantime.
      const version = yield* readable(yield* versionOf(dialect, query))
      if (version === 0) {
        yield* query(
          `create table ${dialect.table("version")} (version ${dialect.integer} not null)`
        )
      }
      for (const [index, migration] of migrations.entries()) {
        const number = firstVersion + index
        if (number <= version) continue
        for (const statement of migration(dialect)) yield* query(statement)
        yield* query(`insert into ${dialect.table("version")} (version) values ($1)`, number)
      }
    })
  )
})
