/**
 * Sends one SMS by a key: `sendBlocked.ts <file> <key>`, with the service of the environment. Prints what waits
 * for a lock, and then whether an earlier call sent it.
 */
import { layerConfig } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { SendJournal } from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { noting, rewriting } from "../Statements.ts"
import { withoutTime } from "../StillTime.ts"

const [, , file = "", key = ""] = process.argv

const sms = { recipient: "+15550101234", message: key }

const service = Layer.provide(layerConfig, NodeTransport.layer)

const { isEarlier } = await Effect.flatMap(SendJournal, ({ sendOnce }) => sendOnce(key, sms)).pipe(
  Effect.provide(Layer.merge(Sqlite.layer(file), service)),
  (send) =>
    rewriting(
      noting((sql) => console.log(`blocked: ${sql}`)),
      send
    ),
  withoutTime,
  Effect.runPromise
)
console.log(isEarlier ? "sent earlier" : "sent now")
