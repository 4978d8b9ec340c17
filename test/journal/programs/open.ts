/** Opens a journal and closes it. */
import { SendJournal } from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Effect from "effect/Effect"

const [, , file = ""] = process.argv
await Effect.runPromise(
  Effect.flatMap(SendJournal, ({ append }) => append("c", [])).pipe(
    Effect.provide(Sqlite.layer(file))
  )
)
console.log("done")
