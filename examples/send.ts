import { layerConfig, MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import process from "node:process"

/** Prints the words, and sets the exit code to 1. */
const failed = (...words: ReadonlyArray<string>) =>
  Effect.sync(() => {
    console.error(...words)
    process.exitCode = 1
  })

const program = Effect.gen(function* () {
  const service = yield* MessagingTopup
  const sent = yield* service.sendSms({ recipient: "+15550100123", message: "Your code is 4711" })
  yield* Console.log("accepted:", sent.data)
}).pipe(Effect.catch((error) => failed(sendOutcome(error), error.message)))

await program.pipe(
  Effect.provide(Layer.provide(layerConfig, NodeTransport.layer)),
  Effect.catch((error) => failed(error.message)),
  Effect.runPromise
)
