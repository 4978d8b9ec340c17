/** Sends an SMS with the tools of the MCP server, without MCP. The model is a script: a real one has another layer. */
import { layerConfig } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as SmsToolkit from "@messaging-topup/mcp-server/toolkit"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import process from "node:process"

const { layer, toolkit } = SmsToolkit.make({
  state: { _tag: "Sqlite", file: "sends.db" },
  allowRecipients: ["+1555*"]
})

/** Who is asked before an SMS is sent. A real program shows the question and waits. */
const caller = SmsToolkit.ToolCaller.of({
  principal: "anna",
  ask: (question) =>
    Console.log("asked:", question).pipe(
      Effect.andThen(Effect.sleep("1 second")),
      Effect.as("accept")
    )
})

const call = {
  type: "tool-call",
  id: "call-1",
  name: "send_sms",
  params: { recipient: "+15550100123", message: "Table ready" }
} as const

const scriptedModel = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: () => Effect.succeed([call]),
    streamText: () => Stream.make(call)
  })
)

const service = Layer.provide(layerConfig, NodeTransport.layer)

const program = Effect.gen(function* () {
  const prompt = "Tell +15550100123 that the table is ready."
  const { toolResults } = yield* LanguageModel.generateText({ prompt, toolkit })
  for (const { encodedResult, name } of toolResults) yield* Console.log(`${name}:`, encodedResult)
})

await program.pipe(
  Effect.provideService(SmsToolkit.ToolCaller, caller),
  Effect.provide(Layer.merge(scriptedModel, Layer.provide(layer, service))),
  Effect.catch((error) => {
    process.exitCode = 1
    return Console.error(error.message)
  }),
  Effect.runPromise
)
