/**
 * Sends one campaign for each command of the parent, and replies with the cost. Runs in its own process:
 * `campaignRun.ts <url> <concurrency> <rows> [journal [name]]`.
 */
import { Campaign, type CampaignEvent } from "@messaging-topup/campaign"
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { journalOf } from "../test/journal/support/JournalOf.ts"
import { serveParent } from "./child.ts"
import { timed } from "./measure.ts"

/** More campaigns than the rounds of a benchmark use. */
const campaignCount = 24

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

const isSent = (event: CampaignEvent): boolean =>
  event._tag === "Ended" && event.counts.sent === count

const sendCampaign = (campaign: string) =>
  Effect.flatMap(Stream.runLast(Campaign.resume(campaign, { concurrency })), (last) =>
    Option.exists(last, isSent) ? Effect.void : Effect.die(new Error("Not all rows are sent"))
  )

const withJournal = async (journal: string) => {
  const runtime = ManagedRuntime.make(Layer.merge(service, journalOf(journal)))
  const campaigns = Array.from({ length: campaignCount }, (_, index) => `${name} ${index}`)
  for (const campaign of campaigns) await runtime.runPromise(Campaign.load(campaign, rows))
  return () => runtime.runPromise(sendCampaign(campaigns.shift() ?? "none"))
}

const run = place === undefined ? withoutJournal() : await withJournal(place)

serveParent(() => timed(run))
