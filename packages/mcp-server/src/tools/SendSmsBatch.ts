/** The tool `send_sms_batch`. */
import { SendSmsRequest } from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { sameTextOf } from "../send/Question.ts"
import { type EndedSms, Sender } from "../send/Sender.ts"
import { maySend } from "../send/Refusal.ts"
import { approvedByClient, type Sent } from "../send/Standing.ts"
import { isoOf, rangesOf, sentences, timeOf } from "../Sentences.ts"
import { isVisible } from "../Visible.ts"
import { senderId } from "./SendSms.ts"
import { nonEmpty, oneLine } from "./ToolSchema.ts"
import * as Tool from "./Tool.ts"
import { listed, type ToolResult } from "./ToolResult.ts"

const { message, recipient } = SendSmsRequest.fields

const Input = Schema.Struct({
  message: Schema.optionalKey(Schema.String.annotate({ description: "One text for all" })),
  recipients: Schema.optionalKey(
    Schema.Array(oneLine(Schema.String)).annotate({ description: "With message" })
  ),
  rows: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        recipient: oneLine(recipient.annotate({ description: "Number" })),
        message: nonEmpty(message.annotate({ description: "Text" }))
      })
    ).annotate({ description: "Or, if texts differ" })
  ),
  sender_id: senderId,
  again: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Sends unknown rows again, if a person approves" })
  )
})

/** Returns the SMS: none if the arguments are not in one of the two forms. */
const requestsOf = ({
  message: text,
  recipients,
  rows,
  sender_id: sender
}: typeof Input.Type): ReadonlyArray<typeof SendSmsRequest.Type> => {
  const from = sender === undefined ? {} : { sender_id: sender }
  if (rows === undefined && recipients !== undefined && text !== undefined) {
    return recipients.map((to) => ({ recipient: to, message: text, ...from }))
  }
  return rows !== undefined && recipients === undefined && text === undefined
    ? rows.map((row) => ({ ...row, ...from }))
    : []
}

const outcomeOf = ({ end }: EndedSms) =>
  end._tag === "Sent" ? "sent" : (end.outcome ?? "not-sent")

const countsOf = (rows: ReadonlyArray<EndedSms>) => {
  const of = (outcome: string) => rows.filter((row) => outcomeOf(row) === outcome).length
  return {
    total: rows.length,
    sent: of("sent"),
    not_sent: of("not-sent"),
    unknown: of("unknown")
  }
}

type Counts = ReturnType<typeof countsOf>

/** Of all rows together. In doubt it is unknown. */
const outcomeOfAll = ({ sent, total, unknown }: Counts) => {
  if (unknown > 0) return "unknown"
  if (sent === total) return "sent"
  return sent === 0 ? "not-sent" : "partly-sent"
}

/** Says each cause once, with the numbers of its rows. */
const causesOf = (rows: ReadonlyArray<EndedSms>) => {
  const byText = Map.groupBy(rows, (row) =>
    row.end._tag === "Refusal" ? `${outcomeOf(row)} ${row.end.message}` : ""
  )
  return [...byText.values()].flatMap((each) => {
    const [first] = each
    if (first?.end._tag !== "Refusal") return []
    const { code, details, next, problem } = first.end
    const status = details?.["http_status"]
    // Other rows of the call may have been sent.
    const what = problem === undefined ? first.end.what : `This call did not send it: ${problem}.`
    return {
      outcome: outcomeOf(first),
      code,
      ...(status === undefined ? {} : { http_status: status }),
      rows: rangesOf(each.map(({ sms }) => sms.number)),
      what,
      next
    }
  })
}

/** Whether this call sent any of them: undefined if that is not known. */
const isByThisCall = (rows: ReadonlyArray<EndedSms>): boolean | undefined => {
  if (rows.some(({ end }) => end._tag === "Sent" && end.earlier === undefined)) return true
  return rows.some(({ end }) => end._tag === "Refusal" && maySend.has(end.code)) ? undefined : false
}

/** How many of those that were sent earlier calls sent, at these times. */
const earlierOf = (sent: number, earlier: ReadonlyArray<number>): string => {
  if (earlier.length === 0) return ""
  const which = sent === 1 ? "" : `${earlier.length} of them `
  const calls = earlier.length === 1 ? "an earlier call, at" : "earlier calls, the first at"
  return `, ${which}by ${calls} ${timeOf(Math.min(...earlier))}`
}

const messageOf = (
  { not_sent, sent, total, unknown }: Counts,
  earlier: ReadonlyArray<number>,
  byThisCall: boolean | undefined
): string =>
  sentences(
    `${sent} of ${total} SMS ${sent === 1 ? "was" : "were"} sent${earlierOf(sent, earlier)}.`,
    byThisCall === false ? "This call sent nothing." : "",
    not_sent > 0 ? `Not sent: ${not_sent}.` : "",
    unknown > 0 ? `Unknown whether sent: ${unknown}.` : ""
  )

const nextOf = ({ not_sent, unknown }: Counts, canFollow: boolean, isAgain: boolean): string =>
  sentences(
    unknown > 0 ? "Tell the person which are unknown, and do not send those again." : "",
    not_sent > 0
      ? "Each cause says whether to call again: the same call sends only what was not sent, and asks the person where it can."
      : "",
    not_sent + unknown === 0 ? "Do not send them again, unless the person wants that." : "",
    not_sent + unknown === 0 && isAgain
      ? "With again: true, only unknown rows are sent: a second copy of another one goes with send_sms."
      : "",
    canFollow ? "Follow them with get_sms_status, by the id of the batch." : ""
  )

const idsOf = ({ results }: Sent) =>
  results
    .filter(({ message_id }) => isVisible(message_id))
    .map(({ message_id, recipient: to, status }) => ({ recipient: to, message_id, status }))

/** By the id, the operator decides about a row of unknown outcome. */
const idOf = ({ end }: EndedSms) => {
  const id = end._tag === "Refusal" ? end.details?.["id"] : undefined
  return id === undefined ? {} : { id }
}

/** Counts, then only the rows that need attention, and the ids. */
const resultOf = (rows: ReadonlyArray<EndedSms>, isAgain: boolean, now: number): ToolResult => {
  const counts = countsOf(rows)
  const sent = rows.flatMap(({ end }) => (end._tag === "Sent" ? [end] : []))
  const earlier = sent.flatMap((each) => each.earlier?.claimedAt ?? [])
  const byThisCall = isByThisCall(rows)
  // Rows that failed were approved, too.
  const approved = rows
    .map(({ end }) => (end._tag === "Sent" ? end.approvedBy : end.details?.["approved_by"]))
    .find((by) => by !== undefined)
  const repeated = rows.flatMap(({ end, sameText }) =>
    end._tag === "Sent" && end.earlier === undefined ? (sameText ?? []) : []
  )
  const failed = rows
    .filter(({ end }) => end._tag === "Refusal" && end.code !== "not_started")
    .map((row) => ({
      row: row.sms.number,
      recipient: row.sms.request.recipient,
      outcome: outcomeOf(row),
      ...idOf(row)
    }))
  const ids = sent.map(idsOf)
  return {
    message: sentences(
      messageOf(counts, earlier, byThisCall),
      approvedByClient(approved),
      sameTextOf(repeated, `${repeated.length} of these numbers`, now)
    ),
    next: nextOf(counts, ids.flat().length > 0, isAgain),
    outcome: outcomeOfAll(counts),
    ...counts,
    segments: rows.reduce((sum, { end, sms }) => sum + (end._tag === "Sent" ? sms.segments : 0), 0),
    ...(rows[0]?.sms.batch === undefined ? {} : { batch_id: rows[0].sms.batch }),
    ...(byThisCall === undefined ? {} : { sent_by_this_call: byThisCall }),
    ...(earlier.length === 0 ? {} : { first_sent_at: isoOf(Math.min(...earlier)) }),
    ...(approved === undefined ? {} : { approved_by: approved }),
    ...listed(
      { causes: causesOf(rows), failed, data: ids.flat() },
      { "without an id that can be read": ids.filter(({ length }) => length === 0).length }
    )
  }
}

export const sendSmsBatch = Tool.make({
  name: "send_sms_batch",
  title: "Send many SMS",
  description:
    "Sends many real SMS. Tell the person recipients and text first. If refused, do not send them one by one; fewer only if the person chooses who. It cannot schedule. The same call again sends only what was not sent.",
  rulesFor: ({ maxBatch }) => `At most ${maxBatch}; otherwise as send_sms.`,
  annotations: Tool.sending,
  input: Input,
  output: {
    outcome: ["sent", "partly-sent", "not-sent", "unknown"],
    total: "integer",
    sent: "integer",
    not_sent: "integer",
    unknown: "integer",
    segments: "integer",
    batch_id: "string",
    sent_by_this_call: "boolean",
    approved_by: "string",
    data: "array"
  },
  run: Effect.fnUntraced(function* ({ again: isAgain = false, ...args }, caller) {
    const { send } = yield* Sender
    const requests = requestsOf(args)
    if (requests.length === 0) {
      return yield* Tool.invalidArguments("give message and recipients, or else rows; at least one")
    }
    const ended = yield* send(caller, requests, isAgain)
    return resultOf(ended, isAgain, yield* Clock.currentTimeMillis)
  })
})
