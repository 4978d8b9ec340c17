/**
 * A journal in memory.
 *
 * @since 0.1.0
 */
import type * as Layer from "effect/Layer"
import type { CampaignJournal } from "./CampaignJournal.ts"
import { layerOf } from "./internal/Layer.ts"
import { connect, inMemory } from "./internal/Sqlite.ts"
import type { SendClaims } from "./SendClaims.ts"
import type { JournalError, SendJournal } from "./SendJournal.ts"

/**
 * A journal that ends with its layer: for tests, and where a restart may forget what was sent. It is
 * SQLite without a file, so that the rule is the same to the letter.
 *
 * @since 0.1.0
 */
export const layerMemory: Layer.Layer<CampaignJournal | SendClaims | SendJournal, JournalError> =
  layerOf(connect(inMemory))
