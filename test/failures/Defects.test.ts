import { expect, it } from "@effect/vitest"
import { layerMemory } from "@messaging-topup/journal"
import * as McpTool from "@messaging-topup/mcp-server/src/mcp/McpTool.ts"
import type { Services } from "@messaging-topup/mcp-server/src/tools/Tool.ts"
import * as Tool from "@messaging-topup/mcp-server/src/tools/Tool.ts"
import { InFlight } from "@messaging-topup/mcp-server/src/send/Dispatch.ts"
import { Sender } from "@messaging-topup/mcp-server/src/send/Sender.ts"
import { Client } from "@modelcontextprotocol/client"
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { alone, processOn } from "../harness/mcp/Guards.ts"

// The failing tools use no service.
const nothing = Context.empty() as Context.Context<Services>

const run = Effect.runPromiseWith(nothing)

const caller = { id: "local", person: undefined }

const resultOf = async (annotations: typeof Tool.readOnly) => {
  const server = new McpServer({ name: "broken", version: "1" })
  const broken = Tool.make({
    name: "broken",
    title: "Broken",
    description: "Dies",
    annotations,
    input: Schema.Struct({}),
    output: {},
    run: () => Effect.die(new Error("hunter2"))
  })
  McpTool.register(server, broken, {
    run: (call) => run(Effect.provide(call, InFlight.layer)),
    callerOf: () => ({ caller, client: undefined })
  })
  const [here, there] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: "test", version: "1" })
  await Promise.all([server.connect(there), client.connect(here)])
  return await client.callTool({ name: "broken", arguments: {} })
}

it.each([
  [Tool.readOnly, "Nothing was read: ", {}],
  [Tool.sending, "It is unknown whether the SMS was sent: ", { outcome: "unknown" }]
] as const)(
  "a defect in a tool says what is known, and does not repeat the error text (%#)",
  async (annotations, first, details) => {
    const response = await resultOf(annotations)
    expect(response).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringMatching(`^${first}`) }],
      structuredContent: { code: "internal_error", ...details }
    })
    expect(JSON.stringify(response)).not.toContain("hunter2")
  }
)

it.effect("a defect in a send whose request has started leaves it unknown", () =>
  Effect.gen(function* () {
    const context = yield* processOn(layerMemory, () => Effect.die(new Error("hunter2")))
    const { send } = Context.get(context, Sender)
    const sms = { recipient: "+254700000001", message: "Hello" }
    const ends = yield* Effect.provide(send(alone, [sms], false), context)
    expect(ends).toMatchObject([{ end: { code: "internal_error", outcome: "unknown" } }])
    expect(JSON.stringify(ends)).not.toContain("hunter2")
  }).pipe(Effect.provide(Logger.layer([])))
)
