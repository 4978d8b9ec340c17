import { layerConfig, MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import process from "node:process"

/** What the shell learns: 3 must not be repeated without a person. */
const exitCodes = { sent: 0, "not-sent": 1, unknown: 3 }

const program = Effect.gen(function* () {
  const { sendSms } = yield* MessagingTopup
  const { data } = yield* sendSms({ recipient: "+15550100123", message: "Your code is 4711" })
  yield* Console.log("accepted:", data)
}).pipe(
  // Catch the failure of each SMS alone. After one of the program itself, it is not known either whether it went out.
  Effect.catchCause((cause) => {
    const outcome = sendOutcome(cause)
    process.exitCode = exitCodes[outcome]
    return Console.error(outcome, ...Cause.prettyErrors(cause).map(({ message }) => message))
  })
)

await program.pipe(
  Effect.provide(Layer.provide(layerConfig, NodeTransport.layer)),
  // A setting is wrong: nothing was sent.
  Effect.catch((error) => {
    process.exitCode = exitCodes["not-sent"]
    return Console.error(error.message)
  }),
  Effect.runPromise
)
