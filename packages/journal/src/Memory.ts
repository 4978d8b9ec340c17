/** A journal in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { JournalError } from "./Errors.ts"
import { SendJournal } from "./SendJournal.ts"

/**
 * A journal in memory, which is lost when the layer ends: for tests, and for programs that may forget at
 * a restart what was sent. It is SQLite without a file, so it runs the same statements as a file.
 */
export const layerMemory: Layer.Layer<SendJournal, JournalError> = Layer.effect(
  SendJournal,
  Effect.die(new Error("not written yet"))
)
