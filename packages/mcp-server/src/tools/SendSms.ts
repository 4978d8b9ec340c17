/** The tool `send_sms`. */
import { Schemas } from "@messaging-topup/core"
import { countsForHours, decidedSo } from "@messaging-topup/journal/internal"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { notStarted } from "../send/Dispatch.ts"
import { maxShown } from "../send/Meant.ts"
import { unknownEarlier, unknownEarlierAdvice } from "../send/Question.ts"
import { limitsText, whoIsAsked } from "../send/Rules.ts"
import { type EndedSms, Sender } from "../send/Sender.ts"
import {
  againIfWanted,
  alsoSent,
  approvedByClient,
  idsToDecide,
  operatorDecides,
  type Sent,
  untilThen,
  whoSays
} from "../send/Standing.ts"
import { isoOf, sentences } from "../Sentences.ts"
import { isVisible, quoted } from "../Visible.ts"
import { nonEmpty, oneLine } from "./ToolSchema.ts"
import { listed, type ToolResult } from "./ToolResult.ts"
import * as Tool from "./Tool.ts"

const { message, recipient, scheduled_time, sender_id } = Schemas.SendSmsRequest.fields

/** An argument of both tools that send. */
export const senderId = Schema.optionalKey(
  oneLine(sender_id.schema.annotate({ description: "Sender ID" }), maxShown)
)

const Input = Schema.Struct({
  recipient: nonEmpty(
    oneLine(recipient.annotate({ description: "With + and country code" }), maxShown)
  ),
  message: nonEmpty(message.annotate({ description: "Text" })),
  sender_id: senderId,
  scheduled_time: Schema.optionalKey(
    oneLine(
      scheduled_time.schema.annotate({
        description:
          "Undocumented format; may go out at once: ask before. A new time is a second SMS"
      }),
      maxShown
    )
  ),
  again: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Sends it again, if a person approves" })
  )
})

/** The advice on how to follow the status, which needs a `message_id`. */
const statusAdvice = ({ results }: Sent): string =>
  results.some(({ message_id }) => isVisible(message_id))
    ? "Follow it with get_sms_status."
    : "Its id is not known, so its status cannot be followed."

const sentSentence = (scheduledTime: string | undefined): string =>
  scheduledTime === undefined
    ? "The SMS was sent: the service accepted it."
    : `The service accepted the SMS with the time ${quoted(scheduledTime)}; it does not say whether it keeps it, so the SMS may go out at once.`

const resultOf = (sent: Sent, ended: EndedSms, before: string): ToolResult => {
  const { approvedBy, countsUntil, earlier, others, results } = sent
  const { canAsk, canDecide, request, segments } = ended
  const follow = statusAdvice(sent)
  const { unknown } = others
  const also = alsoSent(others)
  const decide = unknown.length === 0 ? "" : operatorDecides(canDecide)
  const ids = idsToDecide(canDecide, unknown)
  if (earlier === undefined) {
    return {
      message: sentences(
        sentSentence(request.scheduled_time),
        also,
        before,
        approvedByClient(approvedBy)
      ),
      next: sentences(
        "Do not send it again, unless the person wants that.",
        follow,
        before === "" ? "" : unknownEarlierAdvice,
        decide
      ),
      outcome: "sent",
      sent_by_this_call: true,
      approved_by: approvedBy,
      window_ends_at: countsUntil && isoOf(countsUntil),
      segments,
      ...listed({ unknown_ids: ids, data: results })
    }
  }
  const { claimedAt } = earlier
  const reason = decidedSo(earlier)
  return {
    message: sentences(
      `This call sent nothing: ${whoSays(earlier, "the same SMS from an earlier call")}.`,
      request.scheduled_time === undefined || reason !== undefined
        ? ""
        : sentSentence(request.scheduled_time),
      also,
      countsUntil === undefined
        ? ""
        : untilThen(
            countsUntil,
            canDecide,
            "returns its result",
            unknown.length === 0
              ? "sends the SMS again"
              : "sends nothing, as long as one is unknown"
          )
    ),
    next: sentences(follow, againIfWanted(canAsk, "sent again"), decide),
    outcome: "sent",
    reason,
    sent_by_this_call: false,
    first_sent_at: isoOf(claimedAt),
    window_ends_at: countsUntil && isoOf(countsUntil),
    segments,
    ...listed({ unknown_ids: ids, data: results })
  }
}

export const sendSms = Tool.make({
  name: "send_sms",
  title: "Send an SMS",
  // The rules come first: Qwen Code's search for tools shows the model about 190 characters.
  description: `Sends one real SMS. Only what the person asked for: unless they gave recipient and exact text, tell them both before. Never resend after unknown; with again only if the person accepts that it may arrive twice. A call without a result (time-out) may have sent. Exactly the same call, without again, says what became of it and, for ${countsForHours} hours, sends nothing twice. Preview long or non-GSM-7 texts.`,
  rulesFor: (rules, canAsk) => sentences(limitsText(rules), whoIsAsked(rules, canAsk)),
  annotations: Tool.sending,
  input: Input,
  output: {
    outcome: ["sent", "not-sent", "unknown"],
    sent_by_this_call: "boolean",
    approved_by: "string",
    first_sent_at: "string",
    window_ends_at: "string",
    segments: "integer",
    data: "array"
  },
  run: Effect.fnUntraced(function* ({ again: isAgain = false, ...request }, caller) {
    const { send } = yield* Sender
    const [only] = yield* send(caller, [request], isAgain)
    if (only === undefined) return yield* notStarted
    const now = yield* Clock.currentTimeMillis
    const before = unknownEarlier([only], { canDecide: only.canDecide, now })
    if (only.end._tag === "Sent") return resultOf(only.end, only, before)
    const { outcome = "not-sent" } = only.end
    if (before === "" || outcome === "not-sent") return yield* only.end
    return yield* only.end.with(before, unknownEarlierAdvice)
  })
})
