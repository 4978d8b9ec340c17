/**
 * The tool `send_sms`.
 */
import { SendResult, SendSmsRequest } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isInputRequiredResult } from "@modelcontextprotocol/server"
import { type Sent, SendGuard } from "../send/SendGuard.ts"
import * as Scopes from "../Scopes.ts"
import { fit, inQuotes, quoted } from "../Text.ts"
import { sentUnreadable } from "../ServiceFailure.ts"
import { filled, oneLine } from "./TextArgument.ts"
import * as Tool from "./Tool.ts"

const { message, recipient, scheduled_time, sender_id, webhook_url } = SendSmsRequest.fields

const Input = Schema.Struct({
  recipient: oneLine(recipient),
  message: filled(message),
  sender_id: Schema.optionalKey(oneLine(sender_id.schema)),
  webhook_url: Schema.optionalKey(oneLine(webhook_url.schema, 2000)),
  scheduled_time: Schema.optionalKey(oneLine(scheduled_time.schema)),
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

/** The ids in full, because get_sms_status needs them so. */
const named = (results: ReadonlyArray<SendResult>): string => {
  const ids = results.map(({ message_id }) => message_id).filter((id) => id !== "")
  const statuses = [...new Set(results.map(({ status }) => quoted(status)))].slice(0, 5)
  return ids.length === 0
    ? "It gave no message_id, so the status cannot be followed."
    : `message_id ${ids.slice(0, 5).map(inQuotes).join(", ")}, status ${statuses.join(", ")}. Follow it with get_sms_status.`
}

const describe = ({ duplicate, readable, results }: Sent, omitted: number): string => {
  const cut = omitted === 0 ? "" : ` ${omitted} more results are left out of this result.`
  if (duplicate) {
    const before = "The same SMS was sent by an earlier call, and this call sent nothing."
    return readable
      ? `${before} The result of the first send: ${named(results)}${cut}`
      : `${before} ${sentUnreadable}`
  }
  return readable
    ? `The SMS was sent: the service accepted it. ${named(results)}${cut}`
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
  run: Effect.fnUntraced(function* ({ resend_unknown, ...request }, caller) {
    const guard = yield* SendGuard
    const result = yield* guard.send(caller, request, resend_unknown === true)
    if (isInputRequiredResult(result)) return result
    const { omitted, shown } = fit(result.results, result.results.length)
    return {
      text: describe({ ...result, results: shown }, omitted),
      data: { duplicate: result.duplicate, data: shown }
    }
  })
})
