/**
 * Sends the campaign "c", and stops itself between the claim of rows and the start of their requests: `freeze.ts <place> <baseUrl> <token>`. Prints "frozen" before it stops.
 */
import { Campaign } from "@messaging-topup/campaign"
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { writeSync } from "node:fs"
import { journalOf } from "../../journal/support/JournalOf.ts"

const [, , place = "", baseUrl = "", token = ""] = process.argv

/** How many rows it claims before. */
let left = 20

/** The journal. A claim is followed by a stop of the process. */
const stopping = Effect.map(SendJournal, (journal) =>
  SendJournal.of({
    ...journal,
    exchange: (attempt, turn) =>
      Effect.map(journal.exchange(attempt, turn), (claimed) => {
        const isBefore = left > 0
        left -= claimed.length
        if (isBefore && left <= 0) {
          writeSync(1, "frozen")
          process.kill(process.pid, "SIGSTOP")
        }
        return claimed
      })
  })
)

const service = MessagingTopup.layer({ baseUrl, token: Redacted.make(token) }).pipe(
  Layer.provide(NodeTransport.layer)
)

const resumed = Effect.flatMap(stopping, (journal) =>
  Effect.provideService(
    Stream.runDrain(Campaign.resume("c", { concurrency: 20, messagesPerSecond: 300 })),
    SendJournal,
    journal
  )
)

await Effect.runPromise(Effect.provide(resumed, Layer.merge(journalOf(place), service)))
