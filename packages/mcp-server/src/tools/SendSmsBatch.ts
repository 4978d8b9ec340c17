/** The tool `send_sms_batch`. */
import { Schemas, type SendSmsRequest } from "@messaging-topup/core"
import { decidedSo, type KnownSend } from "@messaging-topup/journal/internal"
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { maxShown } from "../send/Meant.ts"
import { unknownEarlier, unknownEarlierAdvice } from "../send/Question.ts"
import { type EndedSms, Sender } from "../send/Sender.ts"
import { decidedOf, maySend, type Outcome, type Refusal } from "../send/Refusal.ts"
import {
  alsoSent,
  approvedByClient,
  idsToDecide,
  operatorDecides,
  type Sent,
  wentOut
} from "../send/Standing.ts"
import { isoOf, rangesOf, sentences, timeOf } from "../Sentences.ts"
import { isVisible } from "../Visible.ts"
import * as Batches from "./Batches.ts"
import { senderId } from "./SendSms.ts"
import { nonEmpty, oneLine } from "./ToolSchema.ts"
import * as Tool from "./Tool.ts"
import { listed, type ToolResult } from "./ToolResult.ts"

const { message, recipient } = Schemas.SendSmsRequest.fields

const Input = Schema.Struct({
  message: Schema.optionalKey(Schema.String.annotate({ description: "One text for all" })),
  recipients: Schema.optionalKey(
    Schema.Array(oneLine(Schema.String, maxShown)).annotate({ description: "With message" })
  ),
  rows: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        recipient: oneLine(recipient.annotate({ description: "Number" }), maxShown),
        message: nonEmpty(message.annotate({ description: "Text" }))
      })
    ).annotate({ description: "If texts differ" })
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
}: typeof Input.Type): ReadonlyArray<SendSmsRequest> => {
  const from = sender === undefined ? {} : { sender_id: sender }
  if (rows === undefined && recipients !== undefined && text !== undefined) {
    return recipients.map((to) => ({ recipient: to, message: text, ...from }))
  }
  return rows !== undefined && recipients === undefined && text === undefined
    ? rows.map((row) => ({ ...row, ...from }))
    : []
}

/** An SMS of the batch that is not known to be sent. */
type Failed = EndedSms & { readonly end: Refusal }

const isFailed = (row: EndedSms): row is Failed => row.end._tag === "Refusal"

const outcomeOf = ({ end }: EndedSms): Outcome =>
  end._tag === "Sent" ? "sent" : (end.outcome ?? "not-sent")

const countsOf = (rows: ReadonlyArray<EndedSms>) => {
  const of = (outcome: Outcome) => rows.filter((row) => outcomeOf(row) === outcome).length
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
const causesOf = (failed: ReadonlyArray<Failed>) =>
  Object.values(Array.groupBy(failed, (row) => `${outcomeOf(row)} ${row.end.message}`)).map(
    (each) => {
      const { code, details, next, problem, what } = each[0].end
      return {
        outcome: outcomeOf(each[0]),
        code,
        http_status: details?.["http_status"],
        rows: rangesOf(each.map(({ number }) => number)),
        // Other rows of the call may have been sent.
        what: problem === undefined ? what : `This call did not send it: ${problem}.`,
        next
      }
    }
  )

const timeOfFirst = (sends: ReadonlyArray<KnownSend>): number =>
  Math.min(...sends.map(({ claimedAt }) => claimedAt))

/** How many of those that were sent earlier calls sent, and when. */
const earlierOf = (sent: number, earlier: ReadonlyArray<KnownSend>): string => {
  if (earlier.length === 0) return ""
  const which = sent === 1 ? "" : `${earlier.length} of them `
  const calls = earlier.length === 1 ? "an earlier call, at" : "earlier calls, the first at"
  const decided = earlier.filter(decidedSo).length
  return `, ${which}by ${calls} ${timeOf(timeOfFirst(earlier))}${decidedOf(decided)}`
}

const messageOf = (
  { not_sent, sent, total, unknown }: Counts,
  earlier: ReadonlyArray<KnownSend>,
  byThisCall: boolean | undefined
): string => {
  const none =
    unknown > 0
      ? `Unknown whether sent: ${unknown} of ${total} SMS.`
      : // Of no other call: what an earlier one sent may count no more.
        `This call sent 0 of ${total} SMS.`
  return sentences(
    sent === 0
      ? none
      : `${sent} of ${total} SMS ${sent === 1 ? "was" : "were"} sent${earlierOf(sent, earlier)}.`,
    byThisCall === false && sent > 0 ? "This call sent nothing." : "",
    not_sent > 0 ? `Not sent: ${not_sent}.` : "",
    sent > 0 && unknown > 0 ? `Unknown whether sent: ${unknown}.` : ""
  )
}

/** `sendsLess`: no SMS that the same call sends was sent before. */
const nextOf = (
  { not_sent, unknown }: Counts,
  window: string,
  sendsLess: boolean,
  follow: string,
  wantsCopies: boolean,
  decide: string
): string =>
  sentences(
    unknown > 0 ? "Tell the person which are unknown, and send none of those by another call." : "",
    not_sent + unknown > 0
      ? `Each cause says whether to make the same call, without again, which asks the person where it can${window === "" && sendsLess ? ", and sends only what was not sent" : ""}.`
      : "",
    window,
    not_sent + unknown === 0 ? "Do not send them again, unless the person wants that." : "",
    not_sent + unknown === 0 && wantsCopies
      ? "With again: true, only unknown rows are sent: a second copy of another one goes with send_sms."
      : "",
    follow,
    decide
  )

const idsOf = ({ results }: Sent) =>
  results
    .filter(({ message_id }) => isVisible(message_id))
    .map(({ message_id, recipient: to, status }) => ({ recipient: to, message_id, status }))

/** The person may get these more than once. */
const isAlsoSent = ({ end, standing }: EndedSms): boolean =>
  alsoSent(end._tag === "Sent" ? end.others : wentOut(standing)) !== ""

const alsoSentOf = (rows: ReadonlyArray<EndedSms>): string => {
  const numbers = rows.filter(isAlsoSent).map(({ number }) => number)
  return numbers.length === 0
    ? ""
    : `Of ${numbers.length === 1 ? "row" : "rows"} ${rangesOf(numbers)}, another send went out, or may have.`
}

/** When the first of what was sent goes out again by the same call: while another send of it is unknown, none does. */
const windowEndOf = (sent: ReadonlyArray<Sent>): number | undefined => {
  const ends = sent.flatMap(({ countsUntil = [], others }) =>
    others.unknown.length === 0 ? countsUntil : []
  )
  return ends.length === 0 ? undefined : Math.min(...ends)
}

/** Counts, then only the rows that need attention, and the ids. `wantsCopies`: with `again`, and a person can be asked. */
const resultOf = (rows: ReadonlyArray<EndedSms>, wantsCopies: boolean, now: number): ToolResult => {
  const counts = countsOf(rows)
  const failed = rows.filter(isFailed)
  const sent = rows.flatMap(({ end }) => (end._tag === "Sent" ? [end] : []))
  const earlier = sent.flatMap((each) => each.earlier ?? [])
  const mayBeSent = failed.some(({ end }) => maySend.has(end.code)) ? undefined : false
  // Undefined if it is not known.
  const byThisCall = sent.length > earlier.length ? true : mayBeSent
  // Rows that failed were approved, too.
  const approved = rows
    .map(({ end }) => (end._tag === "Sent" ? end.approvedBy : end.details?.["approved_by"]))
    .find((by) => by !== undefined)
  const told = failed
    .filter((row) => row.end.code !== "not_started" || outcomeOf(row) !== "not-sent")
    .map((row) => ({
      row: row.number,
      recipient: row.request.recipient,
      outcome: outcomeOf(row),
      // By these, the operator decides about the unknown sends of the row.
      id: row.end.details?.["id"],
      unknown_ids: row.end.details?.["unknown_ids"]
    }))
  const ids = sent.map(idsOf)
  const batch = rows[0]?.batch
  // The status of the batch has only what a send of this batch was for.
  const isAnyOwn = sent.some((each) => each.earlier === undefined || each.earlier.batch === batch)
  const byBatch = isAnyOwn
    ? "Follow them with get_sms_status, by the id of the batch."
    : "Follow each with get_sms_status, by its message_id."
  const followed = batch === undefined ? "Follow it with get_sms_status." : byBatch
  const canDecide = rows.some((row) => row.canDecide)
  const before = unknownEarlier(
    rows.filter((row) => outcomeOf(row) !== "not-sent"),
    { canDecide, now }
  )
  const windowEnd = windowEndOf(sent)
  const othersUnknown = sent.flatMap(({ others }) => others.unknown)
  return {
    message: sentences(
      messageOf(counts, earlier, byThisCall),
      alsoSentOf(rows),
      before,
      approvedByClient(approved)
    ),
    next: nextOf(
      counts,
      counts.sent === counts.total && earlier.length === 0
        ? ""
        : Batches.windowOf(counts, windowEnd, canDecide),
      !failed.some(isAlsoSent),
      sentences(ids.flat().length > 0 ? followed : "", before === "" ? "" : unknownEarlierAdvice),
      wantsCopies && batch !== undefined,
      othersUnknown.length === 0 ? "" : operatorDecides(canDecide)
    ),
    outcome: outcomeOfAll(counts),
    ...counts,
    segments: rows.reduce(
      (sum, { end, segments }) => sum + (end._tag === "Sent" ? segments : 0),
      0
    ),
    batch_id: batch,
    sent_by_this_call: byThisCall,
    first_sent_at: earlier.length === 0 ? undefined : isoOf(timeOfFirst(earlier)),
    window_ends_at: windowEnd && isoOf(windowEnd),
    approved_by: approved,
    ...listed(
      {
        causes: causesOf(failed),
        failed: told,
        unknown_ids: idsToDecide(canDecide, othersUnknown),
        data: ids.flat()
      },
      { "without an id that can be read": ids.filter(({ length }) => length === 0).length }
    )
  }
}

export const sendSmsBatch = Tool.make({
  name: "send_sms_batch",
  title: "Send many SMS",
  description:
    "Sends many real SMS. Tell the person recipients and text first. If refused, do not send them one by one; fewer only if the person chooses who. It cannot schedule.",
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
    window_ends_at: "string",
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
    const rows = yield* send(caller, requests, isAgain)
    const wantsCopies = isAgain && rows.some(({ canAsk }) => canAsk)
    return resultOf(rows, wantsCopies, yield* Clock.currentTimeMillis)
  })
})
