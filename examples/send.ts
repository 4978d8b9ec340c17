import { layerConfig, MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import process from "node:process"

const program = Effect.gen(function* () {
  const { sendSms } = yield* MessagingTopup
  const { data } = yield* sendSms({ recipient: "+15550100123", message: "Your code is 4711" })
  yield* Console.log("accepted:", data)
}).pipe(Effect.mapError((error) => ({ message: `${sendOutcome(error)} ${error.message}` })))

await program.pipe(
  Effect.provide(Layer.provide(layerConfig, NodeTransport.layer)),
  Effect.catch(({ message }) => {
    process.exitCode = 1
    return Console.error(message)
  }),
  Effect.runPromise
)
