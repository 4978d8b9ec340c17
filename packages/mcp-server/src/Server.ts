/**
 * The MCP server: tools, resources and the prompt, for both eras of the protocol.
 */
import { MessagingTopup } from "@messaging-topup/core"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import {
  McpServer,
  type McpRequestContext,
  type McpServerFactory,
  type ServerOptions as SdkOptions
} from "@modelcontextprotocol/server"
import manifest from "../package.json" with { type: "json" }
import { instructions } from "./Instructions.ts"
import * as McpCaller from "./mcp/McpCaller.ts"
import * as McpTool from "./mcp/McpTool.ts"
import type { ConfirmationOptions } from "./send/Confirmation.ts"
import { Notice } from "./send/Notice.ts"
import type { RulesOf } from "./send/Rules.ts"
import { sentences } from "./send/Text.ts"
import * as SendMessageSafely from "./prompts/SendMessageSafely.ts"
import * as DataBundles from "./resources/DataBundles.ts"
import * as SmsStatus from "./resources/SmsStatus.ts"
import { IsOffered, type Run, type Services, type Tool } from "./tools/Tool.ts"
import { offeredBy } from "./tools/Tools.ts"
import { InboxUrl, Upstream } from "./Upstream.ts"

interface ServerOptions extends ConfirmationOptions {
  readonly rulesOf: RulesOf
  readonly duplicateWindow: Duration.Duration
}

/**
 * How long a modern client may cache a list. The lists do not change while the server runs. But over
 * HTTP, the server may restart with other options while a client is running.
 */
const cacheHint = { ttlMs: Duration.toMillis("5 minutes") }

/** Uses the loggers and the clock of the context. */
const runner = (context: Context.Context<Services>): Run => {
  const run = Effect.runPromiseWith(context)
  return (effect, signal) =>
    // A call that was cancelled already must not start.
    signal?.aborted === true
      ? Promise.reject(signal.reason)
      : run(effect, signal === undefined ? {} : { signal })
}

const serverInfo = {
  name: "messaging-topup",
  title: "Messaging and Top-up",
  version: manifest.version
}

/** Drawn as `mcpb/icon.svg`, and small enough for a handshake. */
const icon =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 512 512'><rect width='512' height='512' rx='112' fill='#0b6e5a'/><path d='M152 112h208a56 56 0 0 1 56 56v120a56 56 0 0 1-56 56H262l-97 70v-70h-13a56 56 0 0 1-56-56V168a56 56 0 0 1 56-56z' fill='#fff'/><path d='M186 232l48 48 92-96' fill='none' stroke='#0b6e5a' stroke-width='36'/></svg>"

const icons = [
  {
    src: `data:image/svg+xml,${encodeURIComponent(icon)}`,
    mimeType: "image/svg+xml",
    sizes: ["any"]
  }
]

/**
 * In the modern era, every result repeats this information. So only a server that serves no call has the
 * icon: over stdio, one server serves the whole connection.
 */
const serverInfoFor = ({ era, requestInfo }: McpRequestContext) =>
  era === "legacy" || requestInfo !== undefined ? { ...serverInfo, icons } : serverInfo

const sdkOptions: SdkOptions = {
  // The lists do not change while the server runs.
  capabilities: {
    tools: { listChanged: false },
    resources: { listChanged: false },
    prompts: { listChanged: false }
  },
  cacheHints: {
    "tools/list": cacheHint,
    "prompts/list": cacheHint,
    "resources/list": cacheHint,
    "resources/templates/list": cacheHint
  }
}

/**
 * Returns the tool that a modern HTTP request calls. Its server serves no other request, so it needs no
 * other tool. The SDK has compared these headers with the body.
 */
const calledBy = (
  { era, requestInfo }: McpRequestContext,
  offered: ReadonlyArray<Tool>
): Tool | undefined => {
  const headers = era === "modern" ? requestInfo?.headers : undefined
  return headers?.get("mcp-method") === "tools/call"
    ? offered.find(({ name }) => name === headers.get("mcp-name"))
    : undefined
}

/** The SDK asks the factory for one server for each connection, session or request. */
export const makeFactory = Effect.fnUntraced(function* (options: ServerOptions) {
  const context = yield* Effect.context<Exclude<Services, MessagingTopup> | Upstream>()
  const { serviceOf } = yield* Upstream
  const notice = yield* Notice
  const inboxUrl = yield* InboxUrl
  const callerOf = McpCaller.maker(options)
  const factory: McpServerFactory = (request) => {
    const identity = McpCaller.identityOfRequest(request)
    const rules = options.rulesOf(identity)
    const offers = (name: string) => rules.tools.includes(name)
    const offered = offeredBy(rules)
    const run = runner(
      context.pipe(Context.add(MessagingTopup, serviceOf(identity)), Context.add(IsOffered, offers))
    )
    const registration = { run, offers, callerOf }
    const called = calledBy(request, offered)
    if (called !== undefined) {
      const server = new McpServer(serverInfo, sdkOptions)
      McpTool.register(server, called, registration)
      return server
    }
    const server = new McpServer(serverInfoFor(request), {
      ...sdkOptions,
      instructions: sentences(notice, instructions({ ...options, rules }, inboxUrl))
    })
    for (const tool of offered) McpTool.register(server, tool, registration)
    // Each resource needs its tool, and the prompt names three tools.
    if (offers("list_data_bundles")) DataBundles.register(server, run)
    if (offers("get_sms_status")) SmsStatus.register(server, run, identity.principal)
    if (["preview_sms", "send_sms", "get_sms_status"].every(offers)) {
      SendMessageSafely.register(server, notice)
    }
    return server
  }
  return factory
})
