/** A journal in a SQLite file, through `node:sqlite`. */
import type * as Layer from "effect/Layer"
import { connect, markFile } from "./database/SqliteDatabase.ts"
import type { JournalError } from "./Errors.ts"
import { layerOf } from "./Layer.ts"
import type { SendJournal } from "./SendJournal.ts"

/** How a file is opened. */
export interface SqliteOptions {
  /**
   * The file must exist, may be on a read-only disk, and is not changed: what would write fails. Default:
   * false.
   */
  readonly isReadOnly?: boolean
}

/**
 * A journal in a file, which is created if it does not exist.
 *
 * Its folder must exist, on a local disk: SQLite's locks do not work on network drives. Several processes
 * may share the file. Only the current user may read it.
 */
export const layer = (
  file: string,
  { isReadOnly = false }: SqliteOptions = {}
): Layer.Layer<SendJournal, JournalError> => layerOf(connect(file, isReadOnly), markFile)
