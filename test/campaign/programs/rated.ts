/**
 * Sends a campaign with rates: `rated.ts <place> <baseUrl> <token> <campaign> <options in JSON>`. Prints "ready", and begins when something comes on stdin.
 */
import { Campaign } from "@messaging-topup/campaign"
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { once } from "node:events"
import { journalOf } from "../../journal/support/JournalOf.ts"

const [, , place = "", baseUrl = "", token = "", campaign = "", options = "{}"] = process.argv

const services = Layer.merge(
  journalOf(place),
  MessagingTopup.layer({ baseUrl, token: Redacted.make(token) }).pipe(
    Layer.provide(NodeTransport.layer)
  )
)

const program = Effect.gen(function* () {
  yield* Effect.sync(() => process.stdout.write("ready\n"))
  yield* Effect.promise(() => once(process.stdin, "data"))
  yield* Stream.runDrain(Campaign.resume(campaign, JSON.parse(options)))
})

await Effect.runPromise(Effect.provide(program, services))
process.stdin.destroy()
