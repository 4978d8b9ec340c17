/**
 * Opens a journal in memory, in a file or in PostgreSQL. Their code is loaded when one is opened, so that a
 * program which opens it later starts sooner.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { type JournalError, JournalUnavailable } from "./Errors.ts"
import type { SendJournal } from "./SendJournal.ts"

/** Where a journal is. */
export type JournalLocation =
  | { readonly _tag: "Memory" }
  | { readonly _tag: "Sqlite"; readonly file: string }
  /** `url` begins with `postgres://`. It needs the package `@effect/sql-pg`. */
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted }

type Journal = Layer.Layer<SendJournal, JournalError>

/** Errors are ignored here: the journal fails to open the file, and explains that better. */
const makeFolder = (file: string): void => {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  } catch {}
}

const sqlite = Effect.promise(() => import("./Sqlite.ts"))

/**
 * The journal at a location. The folder of a file is created if it does not exist, and then only the
 * current user may read it. No error contains the URL of a database.
 */
export const open = (location: JournalLocation): Journal => {
  switch (location._tag) {
    case "Memory":
      return Layer.unwrap(Effect.map(sqlite, ({ layerMemory }) => layerMemory))
    case "Sqlite":
      return Layer.unwrap(
        Effect.map(sqlite, ({ layer }) => {
          makeFolder(location.file)
          return layer(location.file)
        })
      )
    case "Postgres":
      return Layer.unwrap(
        Effect.map(
          Effect.tryPromise({
            try: () => import("./Postgres.ts"),
            catch: () => new JournalUnavailable({ problem: "driver-missing" })
          }),
          ({ layerUrl }) => layerUrl(location.url)
        )
      )
  }
}
