/** A client that shows the approval card, and has no form to ask a person. The test is the page. */
import { mimeType } from "@messaging-topup/mcp-server/src/card/Card.ts"
import {
  type CallToolResult,
  Client,
  type ClientCapabilities,
  type Transport
} from "@modelcontextprotocol/client"
import type * as Duration from "effect/Duration"
import { passTime, readingTime } from "./Clock.ts"
import { resultOf } from "./GuardedServer.ts"
import type { Era } from "./RawStdio.ts"

export const showsCards: ClientCapabilities = {
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [mimeType] } }
}

/** What the page gets, beside what the model gets. */
export interface Card {
  readonly state: string
  readonly call?: { readonly tool: string; readonly arguments: object }
  readonly notice: string
  readonly asked: string
  readonly facts: ReadonlyArray<string>
  readonly texts: ReadonlyArray<{ readonly text: string; readonly to: ReadonlyArray<string> }>
}

export const connectCards = async (
  era: Era,
  transport: Transport,
  capabilities: ClientCapabilities = showsCards
) => {
  const client = new Client(
    { name: "cards", version: "1.0.0" },
    { capabilities, versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" } }
  )
  await client.connect(transport)
  const read = (result: CallToolResult) => {
    const { _meta, ...forModel } = result
    return { ...resultOf(result), forModel, card: _meta?.["messaging-topup/approval"] as Card }
  }
  const call = async (name: string, args: object) =>
    read(await client.callTool({ name, arguments: { ...args } }))
  return {
    client,
    call,
    /** Decides as the page does, after the time that a person reads. */
    decide: ({ call: made, state }: Card, action: string, reads: Duration.Input = readingTime) => {
      passTime(reads)
      return call("decide_sms", { ...made, state, action })
    },
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    [Symbol.asyncDispose]: () => client.close()
  }
}
