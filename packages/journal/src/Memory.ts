/** A journal in memory. */
import type * as Layer from "effect/Layer"
import { connect } from "./database/SqliteDatabase.ts"
import { inMemory } from "./database/SqliteFile.ts"
import type { JournalError } from "./Errors.ts"
import { layerOf } from "./Layer.ts"
import type { SendJournal } from "./SendJournal.ts"

/**
 * A journal in memory, which is lost when the layer ends: for tests, and for programs that may forget at
 * a restart what was sent. It is SQLite without a file, so it runs the same statements as a file.
 */
export const layerMemory: Layer.Layer<SendJournal, JournalError> = layerOf(connect(inMemory, false))
