/**
 * Sends one campaign for each command of the parent, and replies with the cost. Runs in its own process:
 * `campaignRun.ts <url> <requests in flight> <journal>`. With an empty journal, it only sends.
 */
import { sendMany } from "@messaging-topup/journal"
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { journalOf } from "../test/harness/journal/JournalOf.ts"
import { serveParent } from "./child.ts"
import { timed } from "./measure.ts"

/** A campaign with so many rows. */
interface Command {
  readonly campaign: string
  readonly rows: number
}

const [baseUrl = "", atOnce = "", journal = ""] = process.argv.slice(2)
const concurrency = Number(atOnce)

const requestOf = (index: number) => ({
  recipient: `+1555${1_000_000 + index}`,
  message: "Your parcel is at the door"
})

const service = Layer.provide(
  MessagingTopup.layer({ baseUrl, token: Redacted.make("token-of-the-benchmark") }),
  NodeTransport.layerOptions({ connections: concurrency })
)

const withoutJournal = () => {
  const runtime = ManagedRuntime.make(service)
  return ({ rows }: Command) =>
    runtime.runPromise(
      Effect.flatMap(MessagingTopup, ({ sendSms }) => {
        const requests = Array.from({ length: rows }, (_, index) => requestOf(index))
        return Effect.forEach(requests, sendSms, { concurrency, discard: true })
      })
    )
}

const withJournal = (place: string) => {
  const runtime = ManagedRuntime.make(Layer.merge(service, journalOf(place)))
  return ({ campaign, rows: count }: Command) => {
    const rows = Stream.map(Stream.range(0, count - 1), (index) => ({
      key: `row ${index}`,
      request: requestOf(index)
    }))
    return runtime.runPromise(
      Effect.map(sendMany(rows, { campaign, concurrency }), (result) => {
        if (result.rows.sent === count) return
        throw new Error(`Not all rows are sent: ${JSON.stringify(result)}`)
      })
    )
  }
}

const run = journal === "" ? withoutJournal() : withJournal(journal)

serveParent((command) => timed(() => run(command as Command)))
