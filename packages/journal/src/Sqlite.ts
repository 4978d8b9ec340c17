/** A journal in a SQLite file, through `node:sqlite`. */
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { CampaignJournal } from "./slices/CampaignJournal.ts"
import { layerOf } from "./Layer.ts"
import { connect } from "./database/SqliteDatabase.ts"
import * as SqliteFile from "./database/SqliteFile.ts"
import type { SendClaims } from "./claims/SendClaims.ts"
import type { JournalError } from "./errors/JournalError.ts"
import type { SendJournal } from "./SendJournal.ts"

/**
 * A journal in a file, which is created if it does not exist.
 *
 * Its folder must exist, on a local disk: SQLite's locks do not work on network drives. Several processes
 * may share the file. Only the current user may read it.
 */
export const layer = (
  file: string
): Layer.Layer<CampaignJournal | SendClaims | SendJournal, JournalError> =>
  layerOf(connect(file, "write"))

/**
 * A journal in a file that exists, only to read it: its disk may be read-only, and a process that writes
 * does not delay it. What would change the journal fails.
 */
export const layerToRead = (
  file: string
): Layer.Layer<CampaignJournal | SendClaims | SendJournal, JournalError> =>
  layerOf(connect(file, "read"))

/**
 * Writes the journal in `file`, as it is now, to the new file `to`, which may be moved: it needs no `-wal`
 * file. The journal may be in use. Only the current user may read the file.
 */
export const exportTo: (file: string, to: string) => Effect.Effect<void, JournalError> =
  SqliteFile.exportTo
