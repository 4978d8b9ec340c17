/**
 * Sends the campaign "c", and stops itself between the claim of rows and the start of their requests: `freeze.ts <place>`, with the service of the environment. Prints "frozen" before it stops.
 */
import { sendMany } from "@messaging-topup/journal"
import { layerConfig } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { writeSync } from "node:fs"
import { journalOf } from "../../journal/JournalOf.ts"
import { rows } from "../Rows.ts"

const [, , place = ""] = process.argv

/** How many rows it claims before. */
let left = 20

/** The journal. A claim is followed by a stop of the process. */
const stopping = Effect.map(SendJournal, (journal) =>
  SendJournal.of({
    ...journal,
    campaigns: {
      ...journal.campaigns,
      write: (campaign, batch) =>
        Effect.map(journal.campaigns.write(campaign, batch), (claimed) => {
          const isBefore = left > 0
          left -= claimed.rows.length
          if (isBefore && left <= 0) {
            writeSync(1, "frozen\n")
            process.kill(process.pid, "SIGSTOP")
          }
          return claimed
        })
    }
  })
)

const sent = Effect.flatMap(stopping, (journal) =>
  Effect.provideService(
    sendMany(rows(200), { campaign: "c", concurrency: 20 }),
    SendJournal,
    journal
  )
)

await Effect.runPromise(
  Effect.provide(
    sent,
    Layer.merge(journalOf(place), Layer.provide(layerConfig, NodeTransport.layer))
  )
)
