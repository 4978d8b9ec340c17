/**
 * The tool `send_sms`.
 */
import { SendResult, SendSmsRequest } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isInputRequiredResult } from "@modelcontextprotocol/server"
import { type Sent, SendGuard } from "../guards/SendGuard.ts"
import * as Scopes from "../http/auth/Scopes.ts"
import { fit, quoted } from "../internal/Clip.ts"
import { sentUnreadable } from "../internal/Explain.ts"
import { filled } from "./Filled.ts"
import * as Tool from "./Tool.ts"

const { message, recipient, scheduled_time, sender_id, webhook_url } = SendSmsRequest.fields

const Input = Schema.Struct({
  recipient: filled(recipient),
  message: filled(message),
  sender_id: Schema.optionalKey(filled(sender_id.schema)),
  webhook_url: Schema.optionalKey(filled(webhook_url.schema)),
  scheduled_time: Schema.optionalKey(filled(scheduled_time.schema)),
  resend_unknown: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Sends again what is unknown, where the person accepts that it may arrive twice"
    })
  )
})

const Output = Schema.Struct({
  duplicate: Schema.Boolean.annotate({
    description: "Sent by an earlier call"
  }),
  data: Schema.Array(SendResult).annotate({
    description: "One entry per recipient"
  })
})

const describe = ({ duplicate, readable, results }: Sent): string => {
  const first = results[0]
  const ids = results.map(({ message_id }) => quoted(message_id)).slice(0, 5)
  const named =
    first === undefined ? "" : ` message_id ${ids.join(", ")}, status ${quoted(first.status)}.`
  if (duplicate) {
    return readable
      ? `The same SMS was sent by an earlier call, and this call sent nothing.${named} This is the result of the first send.`
      : `The same SMS was sent by an earlier call, and this call sent nothing. ${sentUnreadable}`
  }
  return readable
    ? `The SMS was sent: the service accepted it.${named} Follow it with get_sms_status.`
    : sentUnreadable
}

export const sendSms = Tool.make({
  name: "send_sms",
  title: "Send an SMS",
  description:
    "Sends one real SMS: each segment costs money, and nothing can be taken back. Only for a text and a recipient that the person asked for; preview_sms first. Never call again when the outcome is unknown.",
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true
  },
  scope: Scopes.messagesSend,
  input: Input,
  output: Output,
  run: Effect.fnUntraced(function* ({ resend_unknown, ...request }, call) {
    const guard = yield* SendGuard
    const result = yield* guard.send(call, request, resend_unknown === true)
    if (isInputRequiredResult(result)) return result
    const { shown } = fit(result.results, result.results.length)
    return { text: describe(result), data: { duplicate: result.duplicate, data: shown } }
  })
})
