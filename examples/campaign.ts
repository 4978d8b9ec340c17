/**
 * `node campaign.ts NUMBER…` sends each number one SMS, however often it runs, and however it is spelled with its country
 * code: `0151 23456789` and `+49 (0)151 23456789` are other numbers than `+49 151 23456789`.
 */
import { layerConfig } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { isJournalGone, sendMany, type SendManyResult } from "@messaging-topup/journal"
import * as Journal from "@messaging-topup/journal/open"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import process, { argv, stderr, stdout } from "node:process"

const rows = Stream.fromIterable(argv.slice(2)).pipe(
  Stream.map((recipient) => ({ key: recipient, request: { recipient, message: "Open at 9" } }))
)

/**
 * What the shell learns. 4: run it again only when a person has put the journal back. 3: it is not known whether an SMS
 * went out.
 */
const exitCodeOf = ({ rows: counts, stop }: SendManyResult) => {
  const { changed, inFlight, notSent, rejected, repeated, unknown } = counts
  if (stop?.reason === "JournalReplaced") return 4
  if (unknown + inFlight > 0) return 3
  return changed + notSent + rejected + repeated > 0 || stop !== undefined ? 1 : 0
}

const program = Effect.gen(function* () {
  const result = yield* sendMany(rows, {
    campaign: "spring-sale",
    messagesPerSecond: 50,
    // Another spelling is another key. It also refuses the same text within 30 days: leave it out for what goes out each day.
    allowRepeats: false,
    onEvent: (event) => Console.log(event)
  })
  const { inFlightUntil, rows: counts, sentNow, stop } = result
  yield* Console.log("sent now:", sentNow, counts)
  if (counts.changed > 0) {
    yield* Console.error("not sent, as their keys have another SMS in the journal:", counts.changed)
  }
  if (stop !== undefined) yield* Console.error("stopped:", stop)
  if (inFlightUntil !== undefined) {
    yield* Console.error("run again after", new Date(inFlightUntil))
  }
  process.exitCode = exitCodeOf(result)
})

// Without a place, it is the journal of this user, from whatever folder this runs.
const services = Layer.merge(Layer.provide(layerConfig, NodeTransport.layer), Journal.layer())

// An output that takes nothing, as on a full disk, must not end it: Node would exit with 1.
for (const output of [stdout, stderr]) output.on("error", () => {})

await program.pipe(
  Effect.provide(services),
  Effect.catch((error) => {
    const isUnknown = "sendOutcome" in error && error.sendOutcome === "unknown"
    process.exitCode = isJournalGone(error) ? 4 : isUnknown ? 3 : 1
    return Console.error(error.message)
  }),
  Effect.runPromise
)
