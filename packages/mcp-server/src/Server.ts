/**
 * The MCP server: its tools and its instructions, for both eras of the protocol.
 */
import { MessagingTopup } from "@messaging-topup/core"
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
import * as McpTool from "./mcp/McpTool.ts"
import type { ConfirmationOptions } from "./send/Confirmation.ts"
import { Notice } from "./send/Notice.ts"
import type { RulesOf } from "./send/Rules.ts"
import { sentences } from "./send/Text.ts"
import { IsOffered, type Run, type Services } from "./tools/Tool.ts"
import { offeredBy } from "./tools/Tools.ts"
import { InboxUrl, Upstream } from "./Upstream.ts"

interface ServerOptions extends ConfirmationOptions {
  readonly rulesOf: RulesOf
  readonly duplicateWindow: Duration.Duration
}

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

const sdkOptions: SdkOptions = {
  // The list does not change while the server runs.
  capabilities: { tools: { listChanged: false } },
  // But over HTTP, the server may restart with other options while a client is running.
  cacheHints: { "tools/list": { ttlMs: Duration.toMillis("5 minutes") } }
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
    const run = runner(
      context.pipe(Context.add(MessagingTopup, serviceOf(identity)), Context.add(IsOffered, offers))
    )
    const server = new McpServer(serverInfo, {
      ...sdkOptions,
      instructions: sentences(notice, instructions({ ...options, rules }, inboxUrl))
    })
    for (const tool of offeredBy(rules)) McpTool.register(server, tool, { run, offers, callerOf })
    return server
  }
  return factory
})
