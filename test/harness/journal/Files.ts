/**
 * A temporary folder, which is removed when the scope closes.
 */
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "journal-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The path of a journal that does not exist yet. */
export const journalFile = Effect.map(folder, (path) => join(path, "journal.db"))
