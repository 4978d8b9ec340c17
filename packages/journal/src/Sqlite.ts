/**
 * A journal in a file of SQLite, by the module of Node.
 *
 * @since 0.1.0
 */
import type * as Layer from "effect/Layer"
import type { CampaignJournal } from "./CampaignJournal.ts"
import { layerOf } from "./internal/Layer.ts"
import { connect } from "./internal/Sqlite.ts"
import type { SendClaims } from "./SendClaims.ts"
import type { JournalError, SendJournal } from "./SendJournal.ts"

/**
 * A journal in a file, which is made if it is not there. Its folder must be there, on a disk of this
 * machine: SQLite's locks do not hold on network drives. Several processes may share the file. Only this
 * user may read it.
 *
 * @since 0.1.0
 */
export const layer = (
  file: string
): Layer.Layer<CampaignJournal | SendClaims | SendJournal, JournalError> => layerOf(connect(file))
