/**
 * Sends one campaign for each command of the parent, and replies with the cost. Runs in its own process:
 * `campaignRun.ts <url> <concurrency> <rows> [journal [name]]`.
 */
import { sendMany } from "@messaging-topup/campaign"
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { journalOf } from "../test/journal/support/JournalOf.ts"
import { serveParent } from "./child.ts"
import { timed } from "./measure.ts"

const [baseUrl = "", atOnce = "50", rowCount = "", place, name = "bench"] = process.argv.slice(2)
const concurrency = Number(atOnce)
const count = Number(rowCount)

const requestOf = (index: number) => ({
  recipient: `+1555${1000 + (index % 500)}7`,
  message: "Your parcel is at the door"
})

const service = MessagingTopup.layer({
  baseUrl,
  token: Redacted.make("token-of-the-benchmark")
}).pipe(Layer.provide(NodeTransport.layer))

const sendAll = Effect.flatMap(MessagingTopup, ({ sendSms }) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => requestOf(index)),
    sendSms,
    { concurrency, discard: true }
  )
)

const withoutJournal = () => {
  const runtime = ManagedRuntime.make(service)
  return () => runtime.runPromise(sendAll)
}

const rows = Stream.map(Stream.range(0, count - 1), (index) => ({
  key: String(index),
  request: requestOf(index)
}))

const sendCampaign = (campaign: string) =>
  Effect.flatMap(sendMany(rows, { campaign, concurrency }), ({ sentNow, rows: { sent } }) =>
    sent === count && sentNow > 0 ? Effect.void : Effect.die(new Error("Not all rows are sent"))
  )

const withJournal = (journal: string) => {
  const runtime = ManagedRuntime.make(Layer.merge(service, journalOf(journal)))
  let sent = 0
  // Processes with the same name send the same campaigns.
  return () => runtime.runPromise(sendCampaign(`${name} ${sent++}`))
}

const run = place === undefined ? withoutJournal() : withJournal(place)

serveParent(() => timed(run))
