/**
 * A journal in a SQLite file, through `node:sqlite`.
 *
 * @since 0.1.0
 */
import type * as Layer from "effect/Layer"
import type { CampaignJournal } from "./slices/CampaignJournal.ts"
import { layerOf } from "./Layer.ts"
import { connect } from "./database/SqliteDatabase.ts"
import type { SendClaims } from "./claims/SendClaims.ts"
import type { JournalError } from "./errors/JournalError.ts"
import type { SendJournal } from "./SendJournal.ts"

/**
 * A journal in a file, which is created if it does not exist.
 *
 * Its folder must exist, on a local disk: SQLite's locks do not work on network drives. Several processes
 * may share the file. Only the current user may read it.
 *
 * @since 0.1.0
 */
export const layer = (
  file: string
): Layer.Layer<CampaignJournal | SendClaims | SendJournal, JournalError> => layerOf(connect(file))
