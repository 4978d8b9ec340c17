import { layerConfig, MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const program = Effect.flatMap(MessagingTopup, ({ sendSms }) =>
  sendSms({ recipient: "+15550100123", message: "Your code is 4711" })
)

await program.pipe(
  Effect.flatMap(({ data }) => Console.log("accepted:", data)),
  Effect.catch((error) => Console.error(sendOutcome(error), error.message)),
  Effect.provide(Layer.provide(layerConfig, NodeTransport.layer)),
  Effect.runPromise
)
