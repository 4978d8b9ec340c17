import { layerConfig, MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import process, { argv } from "node:process"

const [messageId = "", finalStatus = ""] = argv.slice(2)

let last = "no response"

/** By 3, a job that sent before, and starts again after 1, does not send again. */
const fail = (line: string, exitCode = 3) => {
  process.exitCode = exitCode
  return Console.error(line)
}

await Effect.flatMap(MessagingTopup, ({ getSmsStatus }) => getSmsStatus(messageId)).pipe(
  // Right after a send, the service may not know the id yet.
  Effect.catchTag("NotFound", () => Effect.succeed({ data: [] })),
  Effect.map(({ data }) => data.filter(({ message_id = messageId }) => message_id === messageId)),
  Effect.map((own) => own.map(({ status }) => status)),
  Effect.tap((statuses) => Effect.sync(() => (last = statuses.join(", ") || "no such id"))),
  Effect.repeat({
    until: (statuses) => statuses.includes(finalStatus),
    schedule: Schedule.spaced("100 millis")
  }),
  Effect.timeout("5 seconds"),
  Effect.flatMap(() => Console.log("final:", finalStatus)),
  Effect.catchTag("TimeoutError", () => fail(`after 5 seconds: ${last}`)),
  Effect.catch(({ message }) => fail(message)),
  Effect.provide(Layer.provide(layerConfig, NodeTransport.layer)),
  // A setting is wrong.
  Effect.catch(({ message }) => fail(message, 1)),
  Effect.runPromise
)
