/** The MCP server: its tools and its instructions, for both eras of the protocol. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import {
  McpServer,
  type McpServerFactory,
  type ServerOptions as SdkOptions
} from "@modelcontextprotocol/server"
import manifest from "../package.json" with { type: "json" }
import { instructions } from "./Instructions.ts"
import * as McpCaller from "./mcp/McpCaller.ts"
import * as McpCard from "./mcp/McpCard.ts"
import * as McpTool from "./mcp/McpTool.ts"
import { Notice } from "./send/Approval.ts"
import { Sender } from "./send/Sender.ts"
import { sentences } from "./Sentences.ts"
import type { Services } from "./tools/Tool.ts"
import { offered } from "./tools/Tools.ts"
import { InboxUrl } from "./Upstream.ts"

const serverInfo = {
  name: "messaging-topup",
  title: "Messaging and Top-up",
  version: manifest.version
}

const sdkOptions: SdkOptions = {
  // The list does not change while the server runs.
  capabilities: { tools: { listChanged: false } },
  // But over HTTP, the server may restart with other options while a client is running.
  cacheHints: { "tools/list": { ttlMs: Duration.toMillis("5 minutes") } }
}

/**
 * The SDK asks a factory for one server for each connection, session or request. `key` signs the states
 * of questions; its default is a new one.
 */
export const makeFactory = Effect.fnUntraced(function* (key: Uint8Array | undefined) {
  const context = yield* Effect.context<Services>()
  const { rules } = Context.get(context, Sender)
  const text = sentences(yield* Notice, instructions(rules, yield* InboxUrl))
  const registration = {
    run: Effect.runPromiseWith(context),
    callerOf: McpCaller.maker(key, rules.cards)
  }
  const make = (withCards: boolean) => {
    const server = new McpServer(serverInfo, { ...sdkOptions, instructions: text })
    for (const tool of offered(rules)) {
      const isShown = withCards && !tool.annotations.readOnlyHint
      McpTool.register(server, tool, registration, isShown ? McpCard.shown : undefined)
    }
    if (withCards) McpCard.register(server, registration)
    return server
  }
  const plain: McpServerFactory = () => make(false)
  const showing: McpServerFactory = () => make(true)
  const factoryFor: McpCaller.FactoryFor = (message) =>
    rules.canSend && rules.cards && McpCaller.wantsCards(message) === true ? showing : plain
  return factoryFor
})
