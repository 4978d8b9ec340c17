/**
 * The journal that stores the state of the guards. Each kind is loaded only if it is used.
 */
import type { JournalError, SendClaims, SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"

export type JournalLocation =
  | { readonly _tag: "Memory" }
  | { readonly _tag: "Sqlite"; readonly file: string }
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted }

type Journal = SendClaims | SendJournal

const loaded = <M>(
  load: () => Promise<M>,
  layerOf: (module: M) => Layer.Layer<Journal, JournalError>
): Layer.Layer<Journal, JournalError> => Layer.unwrap(Effect.map(Effect.promise(load), layerOf))

/** Errors are ignored here: the journal fails to open the file, and explains that better. */
const makeFolder = (file: string): void => {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  } catch {}
}

export const journalLayer = (location: JournalLocation): Layer.Layer<Journal, JournalError> => {
  switch (location._tag) {
    case "Memory":
      return loaded(
        () => import("./MemoryJournal.ts"),
        (MemoryJournal) => MemoryJournal.layer
      )
    case "Sqlite":
      return loaded(
        () => import("@messaging-topup/journal/sqlite"),
        (SqliteJournal) => {
          makeFolder(location.file)
          return SqliteJournal.layer(location.file)
        }
      )
    case "Postgres":
      return loaded(
        () => import("./PostgresJournal.ts"),
        (PostgresJournal) => PostgresJournal.layer(location.url)
      )
  }
}
