import { layerConfig, MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const program = Effect.gen(function* () {
  const service = yield* MessagingTopup
  const sent = yield* service.sendSms({ recipient: "+15550100123", message: "Your code is 4711" })
  yield* Console.log("accepted:", sent.data)
}).pipe(Effect.catch((error) => Console.error(sendOutcome(error), error.message)))

await program.pipe(
  Effect.provide(Layer.provide(layerConfig, NodeTransport.layer)),
  Effect.catch((error) => Console.error(error.message)),
  Effect.runPromise
)
