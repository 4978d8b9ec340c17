/**
 * Where the guards remember. Each kind is loaded only where it is used.
 */
import type { JournalError, SendClaims, SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"

export type State =
  | { readonly _tag: "Memory" }
  | { readonly _tag: "Sqlite"; readonly file: string }
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted }

type Journal = SendClaims | SendJournal

const loaded = <M>(
  load: () => Promise<M>,
  layerOf: (module: M) => Layer.Layer<Journal, JournalError>
): Layer.Layer<Journal, JournalError> => Layer.unwrap(Effect.map(Effect.promise(load), layerOf))

/** A folder that cannot be made is a file that cannot be opened, which the journal explains. */
const makeFolder = (file: string): void => {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  } catch {}
}

export const journalOf = (state: State): Layer.Layer<Journal, JournalError> => {
  switch (state._tag) {
    case "Memory":
      return loaded(
        () => import("./MemoryState.ts"),
        (Memory) => Memory.layer
      )
    case "Sqlite":
      return loaded(
        () => import("@messaging-topup/journal/sqlite"),
        (Sqlite) => {
          makeFolder(state.file)
          return Sqlite.layer(state.file)
        }
      )
    case "Postgres":
      return loaded(
        () => import("./PostgresState.ts"),
        (Postgres) => Postgres.layer(state.url)
      )
  }
}
