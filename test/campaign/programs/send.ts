/**
 * Sends the campaign "c": `send.ts <place> <baseUrl> <token> run|work`. `run` ends with the campaign;
 * `work` takes slices from the queue until it is killed.
 */
import { Campaign } from "@messaging-topup/campaign"
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { journalOf } from "../../journal/support/JournalOf.ts"
import { quickQueue } from "../support/Queue.ts"

const [, , place = "", baseUrl = "", token = "", mode] = process.argv

const services = Layer.merge(
  journalOf(place),
  MessagingTopup.layer({ baseUrl, token: Redacted.make(token) }).pipe(
    Layer.provide(NodeTransport.layer)
  )
)

const options = { concurrency: 20 }

const run = Stream.runDrain(Campaign.resume("c", options)).pipe(Effect.provide(services))

const work = Layer.launch(
  Campaign.layerWorkers(options).pipe(Layer.provide(services), Layer.provide(quickQueue(place)))
)

await Effect.runPromise(mode === "work" ? work : run)
