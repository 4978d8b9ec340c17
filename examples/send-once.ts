import { layerConfig, sendOutcome } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { isJournalGone, SendJournal } from "@messaging-topup/journal"
import * as Journal from "@messaging-topup/journal/open"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import process, { argv, stderr, stdout } from "node:process"

/** What the shell learns. 3: it is not known whether the SMS went out; 4: nor before a person has put the journal back. */
const exitCodes = { sent: 0, "not-sent": 1, unknown: 3 }

const [, , order = "order-1"] = argv

/** At most one SMS goes out for an order, however often this runs. */
const program = Effect.gen(function* () {
  const journal = yield* SendJournal
  const request = { recipient: "+15550100123", message: "Your order has arrived" }
  const { isEarlier, messages } = yield* journal.sendOnce(order, request)
  // Of an earlier call, there may be no id: such as if a person decided that it was sent.
  yield* Console.log(isEarlier ? "sent before:" : "sent:", messages[0]?.message_id ?? "id unknown")
})

// Without a place, it is the journal of this user, from whatever folder this runs.
const services = Layer.merge(Layer.provide(layerConfig, NodeTransport.layer), Journal.layer())

// An output that takes nothing, as on a full disk, must not end it: Node would exit with 1.
for (const output of [stdout, stderr]) output.on("error", () => {})

await program.pipe(
  Effect.provide(services),
  // A person closed it: there is nothing left to do.
  Effect.catchTag("SendClosed", (error) => Console.error(error.message)),
  Effect.catch((error) => {
    // Without an outcome, a setting is wrong: this run sent nothing.
    if (!("sendOutcome" in error)) {
      process.exitCode = exitCodes["not-sent"]
      return Console.error(error.message)
    }
    const outcome = sendOutcome(error)
    process.exitCode = isJournalGone(error) ? 4 : exitCodes[outcome]
    return Console.error(outcome, error.message)
  }),
  Effect.runPromise
)
