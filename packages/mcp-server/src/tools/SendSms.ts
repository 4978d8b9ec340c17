/**
 * The tool `send_sms`.
 */
import { SendResult, SendSmsRequest } from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Pending } from "../send/Approval.ts"
import type { Caller } from "../send/Caller.ts"
import { notStarted } from "../send/Refusals.ts"
import { Sender } from "../send/Sender.ts"
import type { Sent } from "../send/SmsEnd.ts"
import { agoOf, isoOf, isVisible, quoted, sentences } from "../send/Text.ts"
import { nonEmpty, oneLine } from "./TextArgument.ts"
import { listed, type ToolResult } from "./ToolResult.ts"
import * as Tool from "./Tool.ts"

const { message, recipient, scheduled_time, sender_id } = SendSmsRequest.fields

/** The argument of both tools that send. */
export const again = Schema.optionalKey(
  Schema.Boolean.annotate({
    description: "Sends again what went out or is unknown: a person approves that it arrives twice"
  })
)

const Input = Schema.Struct({
  recipient: nonEmpty(oneLine(recipient)),
  message: nonEmpty(message),
  sender_id: Schema.optionalKey(oneLine(sender_id.schema)),
  scheduled_time: Schema.optionalKey(oneLine(scheduled_time.schema)),
  again
})

const Output = Schema.Struct({
  outcome: Schema.Literals(["sent", "not-sent", "unknown"]),
  sent_by_this_call: Schema.Boolean,
  approved_by: Schema.optionalKey(Schema.Literals(["person", "none"])),
  first_sent_at: Schema.optionalKey(Schema.String),
  window_ends_at: Schema.optionalKey(Schema.String),
  retry_after_seconds: Schema.optionalKey(Schema.Int),
  data: Schema.optionalKey(Schema.Array(SendResult))
})

/** The advice on how to follow the status, which needs a `message_id`. */
const statusAdvice = ({ results }: Sent): string =>
  results.some(({ message_id }) => isVisible(message_id))
    ? "Follow it with get_sms_status."
    : "No message_id is known, so its status cannot be followed."

const sentSentence = (scheduledTime: string | undefined): string =>
  scheduledTime === undefined
    ? "The SMS was sent: the service accepted it."
    : `The service accepted the SMS with scheduled_time ${quoted(scheduledTime)}; it does not say whether it keeps it, so the SMS may go out at once.`

const copyAdvice = ({ asking }: Caller): string =>
  asking === undefined
    ? "A second copy needs the approval of a person, and this client cannot ask one: a client that supports elicitation can. After window_ends_at, the same call is a first send."
    : "Only if the person wants a second copy, call send_sms again with again true: they are asked to approve it."

const resultOf = (
  sent: Sent,
  scheduledTime: string | undefined,
  caller: Caller,
  now: number
): ToolResult<typeof Output.Type> => {
  const { approvedBy, earlier, results } = sent
  const follow = statusAdvice(sent)
  if (earlier === undefined) {
    return {
      message: sentSentence(scheduledTime),
      next: sentences("Do not send it again, unless the person wants a second copy.", follow),
      outcome: "sent",
      sent_by_this_call: true,
      ...(approvedBy === undefined ? {} : { approved_by: approvedBy }),
      ...listed(results)
    }
  }
  const { at, until } = earlier
  return {
    message: `This call sent nothing: an earlier call sent the same SMS ${agoOf(now - at)}, and until window_ends_at a repeated call returns its result.`,
    next: sentences(follow, copyAdvice(caller)),
    outcome: "sent",
    sent_by_this_call: false,
    first_sent_at: isoOf(at),
    ...(until === undefined ? {} : { window_ends_at: isoOf(until) }),
    ...listed(results)
  }
}

export const sendSms = Tool.make({
  name: "send_sms",
  title: "Send an SMS",
  // The rules come first: Qwen Code's search for tools shows the model about 190 characters.
  description:
    "Sends one real SMS. Only for a text and a recipient that the person asked for: if they gave them, these words are enough; otherwise tell them both before. Never resend after unknown: it may have gone out; with again only when the person accepts that it may arrive twice. After outcome not-sent it may be called again. preview_sms first. To a number in international form (+…) where known. Each segment costs money, and nothing can be taken back. The format of scheduled_time is not documented, so the SMS may go out at once: ask the person before.",
  annotations: Tool.sending,
  input: Input,
  output: Output,
  run: Effect.fnUntraced(function* ({ again: isAgain = false, ...request }, caller) {
    const { send } = yield* Sender
    const ended = yield* send(caller, [request], isAgain)
    if (ended instanceof Pending) return ended
    const [only] = ended
    if (only === undefined) return yield* notStarted
    if (only.end._tag === "Failed") return yield* only.end.refusal
    const now = yield* Clock.currentTimeMillis
    return resultOf(only.end, request.scheduled_time, caller, now)
  })
})
