/** Runs the campaign "c" to its end, and a number of guarded single sends at the same time. */
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { journalOf } from "../support/JournalOf.ts"
import { guardedSend, runCampaign } from "../support/Runner.ts"

const [, , place = "", baseUrl = "", token = "", singles = "0"] = process.argv

const services = Layer.merge(
  journalOf(place),
  MessagingTopup.layer({ baseUrl, token: Redacted.make(token) }).pipe(
    Layer.provide(NodeTransport.layer)
  )
)

const single = (index: number) =>
  guardedSend(`s${index}`, { recipient: `+1555020${1000 + index}`, message: `single s${index}` })

await Effect.all(
  [
    runCampaign("c", 10),
    Effect.forEach(
      Array.from({ length: Number(singles) }, (_, index) => index),
      single,
      { concurrency: 3, discard: true }
    )
  ],
  { concurrency: 2, discard: true }
).pipe(Effect.provide(services), Effect.runPromise)
console.log("done")
