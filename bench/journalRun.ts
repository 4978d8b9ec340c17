/**
 * A sender, alone in this process: `journalRun.ts <url> <token> <journal>`. Each message asks for the
 * rows of one slice; it says what that took.
 */
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { type Row, SendJournal, type Settlement } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { journalOf } from "../test/journal/support/JournalOf.ts"
import { timed } from "./measure.ts"

const rowsOfASlice = 500
const atOnce = 50
/** More than the rounds of a benchmark use. */
const sliceCount = 24

const [baseUrl = "", token = "", place] = process.argv.slice(2)

/** Their last digit keeps them away from the recipients that the sandbox treats badly. */
const requests = Array.from({ length: rowsOfASlice }, (_, index) => ({
  recipient: `+1555${1000 + index}7`,
  message: "Your parcel is at the door"
}))

const sendAll = Effect.flatMap(MessagingTopup, ({ sendSms }) =>
  Effect.forEach(requests, sendSms, { concurrency: atOnce, discard: true })
)

const send = ({ id, request }: Row) =>
  Effect.flatMap(MessagingTopup, ({ sendSms }) =>
    Effect.map(sendSms(request), ({ data }): Settlement => ({
      id,
      outcome: "accepted",
      info: data[0]?.message_id ?? ""
    }))
  )

/** Two halves of the requests that are under way: while one is sent, the other is written down. */
const sendSlice = Effect.fnUntraced(function* (slice: number) {
  const journal = yield* SendJournal
  const { attempt, rows } = yield* journal.begin(slice)
  const size = atOnce / 2
  const batches = Array.from({ length: rows.length / size }, (_, index) =>
    rows.slice(index * size, (index + 1) * size)
  )
  const settled = new Array<Settlement>()
  const sendBatch = Effect.fnUntraced(function* (batch: ReadonlyArray<Row>) {
    const claim = batch.map(({ id }) => id)
    yield* journal.exchange(attempt, { settle: settled.splice(0), claim })
    settled.push(...(yield* Effect.forEach(batch, send, { concurrency: "unbounded" })))
  })
  yield* Effect.forEach(batches, sendBatch, { concurrency: 2, discard: true })
  yield* journal.exchange(attempt, { settle: settled, claim: [] })
  if (!(yield* journal.end(attempt))) throw new Error("The slice is not done")
})

const appended = Effect.flatMap(SendJournal, ({ append, openSlices }) => {
  const rows = Array.from({ length: sliceCount }, (_, slice) =>
    requests.map((request, index) => ({ key: `${slice}-${index}`, request }))
  ).flat()
  return Effect.andThen(append("bench", rows), openSlices("bench"))
})

const service = MessagingTopup.layer({ baseUrl, token: Redacted.make(token) }).pipe(
  Layer.provide(NodeTransport.layer)
)

const withoutJournal = () => {
  const runtime = ManagedRuntime.make(service)
  return () => runtime.runPromise(sendAll)
}

const withJournal = async (journal: string) => {
  const runtime = ManagedRuntime.make(Layer.merge(service, journalOf(journal)))
  const slices = [...(await runtime.runPromise(appended))]
  return () => runtime.runPromise(sendSlice(slices.shift() ?? -1))
}

const run = place === undefined ? withoutJournal() : await withJournal(place)

process.on("message", () => {
  void timed(run).then((cost) => process.send?.(cost))
})

process.on("disconnect", () => process.exit(0))

process.send?.("ready")
