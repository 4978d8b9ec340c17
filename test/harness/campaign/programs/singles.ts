/**
 * Calls `sendOnce` for keys that are their texts: `singles.ts <place> <count>`, with the service of the environment.
 */
import { layerConfig } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { journalOf } from "../../journal/JournalOf.ts"

const [, , place = "", count = "0"] = process.argv

const sending = Effect.flatMap(SendJournal, ({ sendOnce }) =>
  Effect.forEach(
    Array.from({ length: Number(count) }, (_, index) => `single ${index}`),
    (text, index) =>
      Effect.ignore(sendOnce(text, { recipient: `+1555${200_000 + index}7`, message: text })),
    { concurrency: 10, discard: true }
  )
)

await Effect.runPromise(
  Effect.provide(
    sending,
    Layer.merge(journalOf(place), Layer.provide(layerConfig, NodeTransport.layer))
  )
)
