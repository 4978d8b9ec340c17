/**
 * Sends the rows of one slice for each command of the parent, and replies with the cost. Runs in its own
 * process: `campaignRun.ts <url> <concurrency> [journal [campaign]]`.
 */
import { Campaign } from "@messaging-topup/campaign"
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { journalOf } from "../test/journal/support/JournalOf.ts"
import { serveParent } from "./child.ts"
import { timed } from "./measure.ts"

const rowsOfASlice = 500
/** More slices than the rounds of a benchmark use. */
const sliceCount = 24

const [baseUrl = "", atOnce = "50", place, campaign = "bench"] = process.argv.slice(2)
const concurrency = Number(atOnce)

const requestOf = (index: number) => ({
  recipient: `+1555${1000 + index}7`,
  message: "Your parcel is at the door"
})

const service = MessagingTopup.layer({
  baseUrl,
  token: Redacted.make("token-of-the-benchmark")
}).pipe(Layer.provide(NodeTransport.layer))

const sendAll = Effect.flatMap(MessagingTopup, ({ sendSms }) =>
  Effect.forEach(
    Array.from({ length: rowsOfASlice }, (_, index) => requestOf(index)),
    sendSms,
    { concurrency, discard: true }
  )
)

const withoutJournal = () => {
  const runtime = ManagedRuntime.make(service)
  return () => runtime.runPromise(sendAll)
}

const rows = Stream.map(Stream.range(0, sliceCount * rowsOfASlice - 1), (index) => ({
  key: String(index),
  request: requestOf(index % rowsOfASlice)
}))

const openSlices = Effect.flatMap(SendJournal, (journal) => journal.openSlices(campaign))

const sendSlice = (slice: number) =>
  Effect.flatMap(Campaign.runSlice(slice, { concurrency }), ({ isDone }) =>
    isDone ? Effect.void : Effect.die(new Error("The slice is not done"))
  )

const withJournal = async (journal: string) => {
  const runtime = ManagedRuntime.make(Layer.merge(service, journalOf(journal)))
  await runtime.runPromise(Campaign.load(campaign, rows))
  const slices = [...(await runtime.runPromise(openSlices))]
  return () => runtime.runPromise(sendSlice(slices.shift() ?? -1))
}

const run = place === undefined ? withoutJournal() : await withJournal(place)

serveParent(() => timed(run))
