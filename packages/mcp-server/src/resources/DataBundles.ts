/**
 * The resource `data_bundles`: the bundles on offer.
 */
import { MessagingTopup } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import { type McpServer, requireScopes } from "@modelcontextprotocol/server"
import * as Scopes from "../tools/Scopes.ts"
import { listed } from "../tools/ToolResult.ts"
import { failedRead } from "../send/ServiceFailure.ts"
import type { Run } from "../tools/Tool.ts"
import { asJson } from "./JsonResource.ts"

const uri = "messaging-topup://data-bundles"

const read = Effect.gen(function* () {
  const service = yield* MessagingTopup
  const { category, unreadable } = yield* Effect.mapError(
    service.listDataBundles(),
    failedRead("data bundles", false)
  )
  const { data, ...rest } = listed(category, unreadable)
  return { category: data, ...rest }
})

export const register = (server: McpServer, run: Run): void => {
  server.registerResource(
    "data_bundles",
    uri,
    {
      title: "Data bundles on offer",
      description:
        "The data bundles that the service lists without query parameters; `left_out` counts those that are not shown.",
      mimeType: "application/json",
      scopeChallenge: requireScopes(Scopes.messagesRead)
    },
    (_uri, context) => run(asJson(uri, read), context.mcpReq.signal)
  )
}
