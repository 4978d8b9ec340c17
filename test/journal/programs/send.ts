/** Sends the rows of a campaign, and a number of single sends at the same time. */
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { journalOf } from "../support/JournalOf.ts"
import { sendRows } from "../support/SendingRun.ts"

const [, , place = "", baseUrl = "", token = "", rows = "0", singles = "0"] = process.argv

const services = Layer.merge(
  journalOf(place),
  MessagingTopup.layer({ baseUrl, token: Redacted.make(token), timeout: 1000 }).pipe(
    Layer.provide(NodeTransport.layer)
  )
)

const single = (index: number) =>
  Effect.flatMap(SendJournal, ({ sendOnce }) =>
    Effect.ignore(
      sendOnce(`s${index}`, { recipient: `+2339${10_000 + index}`, message: `single ${index}` })
    )
  )

await Effect.all(
  [
    sendRows(Number(rows), 10),
    Effect.forEach(
      Array.from({ length: Number(singles) }, (_, index) => index),
      single,
      { concurrency: 3, discard: true }
    )
  ],
  { concurrency: 2, discard: true }
).pipe(Effect.provide(services), Effect.runPromise)
console.log("done")
