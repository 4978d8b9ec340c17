/** A journal in a SQLite file or in memory, through `node:sqlite`. */
import "@messaging-topup/core/internal/node"
import type { ConfigurationError } from "@messaging-topup/core/internal/errors"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { connect } from "./database/SqliteDatabase.ts"
import type { JournalError } from "./model/Errors.ts"
import { fileOf } from "./Place.ts"
import { layerOf } from "./sends/JournalLayer.ts"
import type { SendJournal } from "./sends/SendJournal.ts"

/**
 * A journal in a file, which is created if it does not exist.
 *
 * Its folder must exist, on a local disk: SQLite's locks do not work on network drives. Several processes
 * may share the file. Only the current user may read it.
 *
 * Open it once for a process. A journal for each request sends nothing twice, but is slow: with hundreds at once, calls
 * end as `JournalLocked` or with an unknown outcome. Back up with `vacuum into`: a program that copies or reads the file
 * itself drops the locks of the journal.
 */
export const layer = (file: string): Layer.Layer<SendJournal, ConfigurationError | JournalError> =>
  layerOf(
    Effect.flatMap(Effect.fromResult(fileOf(file)), (path) => connect(path, "new")),
    Effect.void
  )

/**
 * A journal in memory, which is lost when the layer ends: for tests, and for programs that may forget at
 * a restart what was sent. It is SQLite without a file, so it runs the same statements as a file.
 */
export const layerMemory: Layer.Layer<SendJournal, JournalError> = layerOf(
  connect(undefined, "new"),
  Effect.void
)
