/**
 * The resource `data_bundles`: the bundles on offer.
 */
import { MessagingTopup } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import { type McpServer, requireScopes } from "@modelcontextprotocol/server"
import * as Scopes from "../tools/Scopes.ts"
import { fit, leftOut, tooLongReason, unreadableReason } from "../tools/ToolResult.ts"
import { failedRead } from "../send/ServiceFailure.ts"
import type { Run } from "../tools/Tool.ts"
import { asJson } from "./JsonResource.ts"

const uri = "messaging-topup://data-bundles"

const read = Effect.gen(function* () {
  const service = yield* MessagingTopup
  const { category, unreadable = [] } = yield* Effect.mapError(
    service.listDataBundles(),
    failedRead("data bundles", false)
  )
  const { shown, tooLong } = fit(category)
  return {
    category: shown,
    ...leftOut({ [tooLongReason]: tooLong, [unreadableReason]: unreadable.length })
  }
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
