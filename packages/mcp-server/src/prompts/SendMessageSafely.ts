/**
 * The prompt `send_message_safely`: preview, confirm, send, read the status.
 */
import { SendSmsRequest } from "@messaging-topup/core"
import * as Schema from "effect/Schema"
import { type McpServer, requireScopes } from "@modelcontextprotocol/server"
import * as Scopes from "../tools/Scopes.ts"
import * as ToolSchema from "../tools/ToolSchema.ts"
import { sentences } from "../send/Text.ts"
import { nonEmpty } from "../tools/TextArgument.ts"

const Arguments = Schema.Struct({
  recipient: nonEmpty(SendSmsRequest.fields.recipient),
  message: nonEmpty(SendSmsRequest.fields.message),
  sender_id: Schema.optionalKey(nonEmpty(SendSmsRequest.fields.sender_id.schema))
})

type Arguments = Schema.Schema.Type<typeof Arguments>

const write = ({ message, recipient, sender_id }: Arguments): string =>
  [
    "Send one SMS for me, in these steps.",
    "1. Call preview_sms with the text, and tell me the recipient, the text, the segments and the encoding.",
    "2. Wait for my approval. Without it, stop.",
    "3. Call send_sms once with exactly these arguments. Do not send it again unless I ask for it; do what the result says under next.",
    "4. Call get_sms_status with the message_id, and tell me the status in the service's own words.",
    "",
    "The arguments, as JSON:",
    JSON.stringify({ recipient, message, ...(sender_id === undefined ? {} : { sender_id }) })
  ].join("\n")

export const register = (server: McpServer, notice: string): void => {
  server.registerPrompt(
    "send_message_safely",
    {
      title: "Send a message safely",
      description: "Preview an SMS, confirm it with the person, send it once, follow its status.",
      argsSchema: ToolSchema.ofPrompt(Arguments),
      scopeChallenge: requireScopes(Scopes.messagesSend)
    },
    (args) => ({
      messages: [{ role: "user", content: { type: "text", text: sentences(notice, write(args)) } }]
    })
  )
}
