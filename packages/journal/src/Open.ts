/**
 * Opens a journal in memory, in a file or in PostgreSQL. Their code is loaded when one is opened, so that a
 * program which opens it later starts sooner.
 */
import "@messaging-topup/core/internal/node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { type JournalError, JournalUnavailable } from "./model/Errors.ts"
import type { JournalLocation } from "./model/Location.ts"
import type { SendJournal } from "./sends/SendJournal.ts"

export { type JournalLocation, locate } from "./model/Location.ts"

/** Errors are ignored here: the journal fails to open the file, and explains that better. */
const makeFolder = (file: string): void => {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  } catch {}
}

const layerAt = Effect.fnUntraced(function* (location: JournalLocation) {
  if (location._tag === "Postgres") {
    const { layerUrl } = yield* Effect.tryPromise({
      try: () => import("./Postgres.ts"),
      catch: () => new JournalUnavailable({ problem: "driver-missing" })
    })
    return layerUrl(location.url, location)
  }
  const { layer, layerMemory } = yield* Effect.promise(() => import("./Sqlite.ts"))
  if (location._tag === "Memory") return layerMemory
  makeFolder(location.file)
  return layer(location.file)
})

/**
 * The journal at a location. The folder of a file is created if it does not exist, and then only the
 * current user may read it. No error contains the URL of a database.
 */
export const open = (location: JournalLocation): Layer.Layer<SendJournal, JournalError> =>
  Layer.unwrap(layerAt(location))
