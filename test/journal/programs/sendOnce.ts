/** Calls `sendOnce` 25 times at once for each key, and prints the results. */
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { SendJournal } from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const [, , file = "", baseUrl = "", token = "", ...keys] = process.argv

const services = Layer.merge(
  Sqlite.layer(file),
  MessagingTopup.layer({ baseUrl, token: Redacted.make(token) }).pipe(
    Layer.provide(NodeTransport.layer)
  )
)

const results = Effect.gen(function* () {
  const journal = yield* SendJournal
  const callers = keys.flatMap((key) =>
    Array.from({ length: 25 }, () =>
      journal.sendOnce(key, { recipient: "+15550101234", message: "Hello" })
    )
  )
  return yield* Effect.all(callers, { concurrency: "unbounded" })
})

console.log(JSON.stringify(await Effect.runPromise(Effect.provide(results, services))))
