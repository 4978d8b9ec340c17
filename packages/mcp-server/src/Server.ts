/**
 * The MCP server: tools, resources and the prompt, for both eras of the protocol.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import {
  type McpRequestContext,
  McpServer,
  type McpServerFactory
} from "@modelcontextprotocol/server"
import manifest from "../package.json" with { type: "json" }
import { principalOf } from "./Caller.ts"
import { instructions } from "./Instructions.ts"
import { Notice, noticed } from "./Notice.ts"
import * as SendMessageSafely from "./prompts/SendMessageSafely.ts"
import * as DataBundles from "./resources/DataBundles.ts"
import * as SmsStatus from "./resources/SmsStatus.ts"
import * as Runner from "./Runner.ts"
import { tools } from "./tools/Tools.ts"

export interface ServerOptions {
  /** The names of the tools to offer. */
  readonly tools: ReadonlyArray<string>
}

const principalOfServer = ({ authInfo, requestInfo }: McpRequestContext): string =>
  requestInfo === undefined ? "local" : principalOf(authInfo)

/**
 * For how long a modern client may keep a list. The lists do not change while the server runs, but
 * over HTTP a client outlives a restart with other options.
 */
const keep = { ttlMs: Duration.toMillis("5 minutes") }

/** One server for each connection, session or request, as the SDK asks for them. */
export const makeFactory = Effect.fnUntraced(function* (options: ServerOptions) {
  const run = yield* Runner.make
  const notice = yield* Notice
  const offered = tools.filter(({ name }) => options.tools.includes(name))
  const exists = (...names: ReadonlyArray<string>) =>
    names.every((name) => options.tools.includes(name))
  const factory: McpServerFactory = (context) => {
    const server = new McpServer(
      { name: "messaging-topup", title: "Messaging and Top-up", version: manifest.version },
      {
        instructions: noticed(notice, instructions(options.tools)),
        // The lists are the same for as long as the server runs.
        capabilities: {
          tools: { listChanged: false },
          resources: { listChanged: false },
          prompts: { listChanged: false }
        },
        cacheHints: {
          "tools/list": keep,
          "prompts/list": keep,
          "resources/list": keep,
          "resources/templates/list": keep
        }
      }
    )
    for (const tool of offered) tool.register(server, run)
    // Without its tool there is no resource, and the prompt names only tools that are offered.
    if (exists("list_data_bundles")) DataBundles.register(server, run)
    if (exists("get_sms_status")) SmsStatus.register(server, run, principalOfServer(context))
    if (exists("preview_sms", "send_sms", "get_sms_status")) {
      SendMessageSafely.register(server, notice)
    }
    return server
  }
  return factory
})
