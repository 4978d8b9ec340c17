/** The MCP server: its tools and its instructions, for both eras of the protocol. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type McpServer, type ServerOptions as SdkOptions } from "@modelcontextprotocol/server"
import manifest from "../package.json" with { type: "json" }
import { decideSms, mimeType, uri } from "./card/Card.ts"
import { instructions } from "./Instructions.ts"
import { EveryArgument } from "./mcp/EveryArgument.ts"
import * as McpCaller from "./mcp/McpCaller.ts"
import * as McpTool from "./mcp/McpTool.ts"
import type { InFlight } from "./send/Dispatch.ts"
import { Sender } from "./send/Sender.ts"
import { sentences } from "./Sentences.ts"
import type { Services } from "./tools/Tool.ts"
import { offered } from "./tools/Tools.ts"
import { sandboxNotice } from "./Upstream.ts"

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

/** What a tool says whose results the card belongs to. */
const showsCard = { ui: { resourceUri: uri } }

/** The page loads nothing. */
const ui = { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true }

/** Offers the card to a client that shows it: its page, and the tool that takes the reply. */
const registerCard = (server: McpServer, registration: McpTool.Registration): void => {
  server.server.registerCapabilities({ resources: { listChanged: false } })
  server.registerResource("approval", uri, { title: "Approval of SMS", mimeType }, () =>
    // Imported here, so that a server whose clients show no card does not load it.
    import("./card/CardPage.ts").then(({ page: text }) => ({
      contents: [{ uri, mimeType, text, _meta: { ui } }]
    }))
  )
  McpTool.register(server, decideSms, registration, { ui: { visibility: ["app"] } })
}

/**
 * The SDK asks a factory for one server for each connection, session or request. `approvalKey`
 * signs questions, each for the service at this address; its default is a new one. Without an address, that is the sandbox.
 */
export const makeFactory = Effect.fnUntraced(function* (
  approvalKey: Uint8Array | undefined,
  address: string | undefined
) {
  const context = yield* Effect.context<Services | InFlight>()
  const { rules } = Context.get(context, Sender)
  const text = sentences(address === undefined ? sandboxNotice() : "", instructions(rules))
  const run = Effect.runPromiseWith(context)
  const callerOf = McpCaller.maker(approvalKey, address ?? "sandbox")
  const factoryOf = (way: McpCaller.Way | undefined) => {
    const withCards = rules.canSend && way === "card"
    const tools = offered(rules, way && way !== "none")
    const registration = { run, callerOf: callerOf(withCards) }
    return () => {
      const server = new EveryArgument(serverInfo, { ...sdkOptions, instructions: text })
      for (const tool of tools) {
        const isShown = withCards && !tool.annotations.readOnlyHint
        McpTool.register(server, tool, registration, isShown ? showsCard : undefined)
      }
      if (withCards) registerCard(server, registration)
      return server
    }
  }
  // Made once: HTTP keeps a handler for each.
  const factories = {
    form: factoryOf("form"),
    card: factoryOf("card"),
    none: factoryOf("none"),
    unknown: factoryOf(undefined)
  }
  const factoryFor: McpCaller.FactoryFor = (message) =>
    factories[McpCaller.statedWay(message, rules.cards) ?? "unknown"]
  return factoryFor
})
