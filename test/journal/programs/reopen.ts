/** Opens a journal, writes a row and closes it, again and again. */
import { SendJournal } from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Effect from "effect/Effect"

const [, , file = ""] = process.argv
const request = { recipient: "+15550100", message: "Hello" }

console.log("begins")
for (let index = 0; ; index++) {
  const append = Effect.flatMap(SendJournal, (journal) =>
    journal.append(`c${process.pid}`, [{ key: String(index), request }])
  )
  await Effect.runPromise(Effect.provide(append, Sqlite.layer(file)))
}
