/**
 * The resource `sms_status`: the status of one SMS, by its message_id.
 */
import { MessagingTopup } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  requireScopes,
  ResourceTemplate,
  type Variables
} from "@modelcontextprotocol/server"
import { SendMemory } from "../send/SendMemory.ts"
import { visible } from "../send/Text.ts"
import * as Scopes from "../tools/Scopes.ts"
import { isUsable, smsUriTemplate } from "../tools/SmsUri.ts"
import { listed } from "../tools/ToolResult.ts"
import { failedRead } from "../send/ServiceFailure.ts"
import type { Run } from "../tools/Tool.ts"
import { asJson } from "./JsonResource.ts"

const read = (messageId: string) =>
  MessagingTopup.use((service) => service.getSmsStatus(messageId)).pipe(
    Effect.mapBoth({
      onFailure: failedRead("SMS status"),
      onSuccess: ({ data, unreadable }) => listed(data, unreadable)
    })
  )

/** The SDK does not decode the variables of a URI. */
const decoded = ({ message_id }: Variables): Effect.Effect<string, ProtocolError> =>
  Effect.try({
    try: () => decodeURIComponent(String(message_id)),
    catch: () =>
      new ProtocolError(ProtocolErrorCode.InvalidParams, "The message_id is not well encoded.")
  })

/** As many as a completion can have. */
const maxCompleted = 100

/** Returns the ids of the principal's last messages, newest first. */
const messageIds = (principal: string) =>
  SendMemory.use((memory) => memory.recent({ principal }, maxCompleted)).pipe(
    Effect.map((sends) =>
      sends
        .flatMap(({ messages }) => messages.map(({ message_id }) => message_id))
        .filter((id) => isUsable(id) && visible(id) === id)
    ),
    Effect.orElseSucceed(() => [])
  )

export const register = (server: McpServer, run: Run, principal: string): void => {
  const complete = (value: string): Promise<Array<string>> =>
    run(Effect.map(messageIds(principal), (ids) => ids.filter((id) => id.startsWith(value))))
  server.registerResource(
    "sms_status",
    new ResourceTemplate(smsUriTemplate, {
      list: undefined,
      complete: { message_id: complete }
    }),
    {
      title: "Status of an SMS",
      description: "The status records of one SMS, by the message_id that its send returned.",
      mimeType: "application/json",
      scopeChallenge: requireScopes(Scopes.messagesRead)
    },
    (uri, variables, context) =>
      run(
        Effect.flatMap(decoded(variables), (messageId) => asJson(uri.toString(), read(messageId))),
        context.mcpReq.signal
      )
  )
}
