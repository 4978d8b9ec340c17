/**
 * The tool `send_sms`.
 */
import { SendResult, SendSmsRequest } from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Pending } from "../send/Pending.ts"
import type { Sent } from "../send/SendEnd.ts"
import { SendGuard } from "../send/SendGuard.ts"
import { listed, type ToolResult } from "./ToolResult.ts"
import type { Caller } from "../send/Caller.ts"
import { isoOf } from "../send/Refusal.ts"
import { isVisible, quoted, sentences } from "../send/Text.ts"
import { nonEmpty, oneLine } from "./TextArgument.ts"
import * as Tool from "./Tool.ts"

const { message, recipient, scheduled_time, sender_id, webhook_url } = SendSmsRequest.fields

const Input = Schema.Struct({
  recipient: nonEmpty(oneLine(recipient)),
  message: nonEmpty(message),
  sender_id: Schema.optionalKey(oneLine(sender_id.schema)),
  scheduled_time: Schema.optionalKey(oneLine(scheduled_time.schema)),
  resend_unknown: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Sends again what is unknown: the person accepts that it may arrive twice"
    })
  ),
  send_again: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Sends a second copy of what was sent: the person wants both"
    })
  )
})

type Arguments = typeof Input.Type & Pick<SendSmsRequest, "webhook_url">

const Output = Schema.Struct({
  outcome: Schema.Literals(["sent", "not-sent", "unknown"]),
  sent_by_this_call: Schema.Boolean,
  approved_by: Schema.optionalKey(Schema.Literals(["person", "none"])),
  first_sent_at: Schema.optionalKey(Schema.String),
  window_ends_at: Schema.optionalKey(Schema.String),
  retry_after_seconds: Schema.optionalKey(Schema.Int),
  data: Schema.Array(SendResult)
})

const ago = (millis: number): string => {
  const seconds = Math.max(1, Math.round(millis / 1000))
  return seconds < 60 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`
}

/** The advice on how to follow the status, which needs a `message_id`. */
const statusAdvice = ({ results }: Sent, offers: (tool: string) => boolean): string => {
  if (!results.some(({ message_id }) => isVisible(message_id))) {
    return "No message_id is known, so its status cannot be followed."
  }
  return offers("get_sms_status") ? "Follow it with get_sms_status." : ""
}

const sentSentence = (scheduledTime: string | undefined): string =>
  scheduledTime === undefined
    ? "The SMS was sent: the service accepted it."
    : `The service accepted the SMS with scheduled_time ${quoted(scheduledTime)}; it does not say whether it keeps it, so the SMS may go out at once.`

const copyAdvice = (canBeAsked: boolean, sendsAfterWindow: boolean): string => {
  if (canBeAsked) {
    return "Only if the person wants a second copy, call send_sms again with send_again true: they are asked to approve it."
  }
  const later = sendsAfterWindow
    ? ", and after window_ends_at the same call without send_again sends it"
    : ""
  return `A second copy needs the approval of a person, and this client cannot ask one: a client that supports elicitation can${later}.`
}

const resultOf = (
  sent: Sent,
  scheduledTime: string | undefined,
  { asking }: Caller,
  now: number,
  offers: (tool: string) => boolean
): ToolResult<typeof Output.Type> => {
  const { approvedBy, duplicate, results } = sent
  const records = listed(results)
  const follow = statusAdvice(sent, offers)
  if (duplicate === undefined) {
    return {
      message: sentSentence(scheduledTime),
      next: sentences("Do not send it again, unless the person wants a second copy.", follow),
      outcome: "sent",
      sent_by_this_call: true,
      ...(approvedBy === undefined ? {} : { approved_by: approvedBy }),
      ...records
    }
  }
  const { sendsAfterWindow, sentAtMillis, windowEndsAtMillis } = duplicate
  return {
    message: `This call sent nothing: an earlier call sent the same SMS ${ago(now - sentAtMillis)}, and until window_ends_at a repeated call returns its result.`,
    next: sentences(follow, copyAdvice(asking !== undefined, sendsAfterWindow)),
    outcome: "sent",
    sent_by_this_call: false,
    first_sent_at: isoOf(sentAtMillis),
    window_ends_at: isoOf(windowEndsAtMillis),
    ...records
  }
}

const make = (key: string, input: Schema.Codec<Arguments, unknown>) =>
  Tool.make({
    name: "send_sms",
    key,
    title: "Send an SMS",
    // The rules come first: Qwen Code's search for tools shows the model about 190 characters.
    description: (offers) =>
      sentences(
        "Sends one real SMS. Only for a text and a recipient that the person asked for: tell them both before. Never resend after unknown: it may have gone out; with resend_unknown only when the person accepts that it may arrive twice. After outcome not-sent it may be called again.",
        offers("preview_sms") ? "preview_sms first." : "",
        "To a number in international form (+…) where known. Each segment costs money, and nothing can be taken back. The format of scheduled_time is not documented, so the SMS may go out at once: ask the person before."
      ),
    annotations: Tool.sending,
    input,
    output: Output,
    run: Effect.fnUntraced(function* ({ resend_unknown, send_again, ...request }, caller) {
      const guard = yield* SendGuard
      const result = yield* guard.send(caller, request, {
        resendUnknown: resend_unknown === true,
        sendAgain: send_again === true
      })
      if (result instanceof Pending) return result
      const now = yield* Clock.currentTimeMillis
      return resultOf(result, request.scheduled_time, caller, now, yield* Tool.IsOffered)
    })
  })

/** Without `webhook_url`, where the operator allows no host for it. */
export const sendSms = make("send_sms", Input)

export const sendSmsWithWebhook = make(
  "send_sms with webhook_url",
  Schema.Struct({
    ...Input.fields,
    webhook_url: Schema.optionalKey(oneLine(webhook_url.schema, 2000))
  })
)
