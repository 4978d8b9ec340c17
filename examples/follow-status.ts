import { layerConfig, awaitSmsStatus } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import process, { argv } from "node:process"

const [messageId = "", finalStatus = ""] = argv.slice(2)

await awaitSmsStatus(messageId, {
  until: ({ status }) => status === finalStatus,
  schedule: Schedule.spaced("100 millis"),
  timeout: "5 seconds"
}).pipe(
  Effect.flatMap(({ status }) => Console.log("final:", status)),
  Effect.catchTags({
    StillPending: ({ lastRecord }) => Console.log("still:", lastRecord?.status ?? "no record"),
    NotFound: ({ error }) => Console.log("unknown id:", error.detail)
  }),
  Effect.provide(Layer.provide(layerConfig, NodeTransport.layer)),
  Effect.catch((error) => {
    process.exitCode = 1
    return Console.error(error.message)
  }),
  Effect.runPromise
)
