/** The tool `get_sms_status`. */
import { MessagingTopup, type SendOutcome } from "@messaging-topup/core"
import { ownRecords } from "@messaging-topup/core/internal"
import { decidedSo, isWord, type KnownSend } from "@messaging-topup/journal/internal"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { longestCall } from "../send/Dispatch.ts"
import { Journal } from "../send/Journal.ts"
import type { Refusal } from "../send/Refusal.ts"
import { reading, waitAMinute } from "../send/ServiceFailure.ts"
import { alsoSent, idsToDecide, operatorDecides } from "../send/Standing.ts"
import { isoOf, sentences } from "../Sentences.ts"
import { isVisible } from "../Visible.ts"
import * as Batches from "./Batches.ts"
import * as StatusRecords from "./StatusRecords.ts"
import * as Tool from "./Tool.ts"
import { listed, type ToolResult, unreadableReason } from "./ToolResult.ts"

const readsInFlight = 8

/** Less than a call may take, so that what was read by then is a result. */
const readWithin = Duration.subtract(longestCall, Duration.seconds(5))

const statusOf = (messageId: string, ofRequest?: string) =>
  MessagingTopup.use((service) => service.getSmsStatus(messageId)).pipe(
    reading("SMS status", ofRequest)
  )

type Read = Result.Result<Effect.Success<ReturnType<typeof statusOf>>, Refusal>

/** One request for each id of the journal, which nobody has to check. Those that were not read in time are missing. */
const readAll = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const reads = new Map<string, Read>()
  yield* Effect.forEach(
    ids,
    (id) => Effect.map(Effect.result(statusOf(id, waitAMinute)), (read) => reads.set(id, read)),
    { concurrency: readsInFlight, discard: true }
  ).pipe(Effect.timeoutOption(readWithin))
  return reads
})

/** Why there is no record of an SMS, and what to do; undefined if there is one. */
const whyNot = (
  messageId: string,
  read: Read | undefined
): { readonly what: string; readonly next?: string } | undefined => {
  if (read === undefined) return Tool.readTooLong
  if (Result.isFailure(read)) return read.failure
  const own = ownRecords(messageId, read.success).length
  return own + (read.success.unreadable ?? 0) === 0
    ? { what: StatusRecords.noRecord("SMS") }
    : undefined
}

/** Of more than so many records, those with the most frequent status are only counted. */
const maxListed = 10

const idsOf = ({ messages }: KnownSend) =>
  messages.map(({ message_id }) => message_id).filter(isVisible)

/** What was read of these ids. */
const recordsOf = (ids: ReadonlyArray<string>, reads: ReadonlyMap<string, Read>) => {
  const notRead = ids.flatMap((message_id) => {
    const why = whyNot(message_id, reads.get(message_id))
    return why === undefined ? [] : [{ message_id, why }]
  })
  const causes = [...Map.groupBy(notRead, ({ why }) => why.what)].map(([what, each]) => ({
    count: each.length,
    what,
    next: each[0]?.why.next
  }))
  const read = ids.flatMap((id) => {
    const each = reads.get(id)
    return each === undefined || Result.isFailure(each) ? [] : [{ id, response: each.success }]
  })
  const records = read.flatMap(({ id, response }) =>
    ownRecords(id, response).map(({ recipient, status }) => ({
      message_id: id,
      ...(recipient === undefined ? {} : { recipient }),
      status
    }))
  )
  const unreadable = read.reduce((sum, { response }) => sum + (response.unreadable ?? 0), 0)
  const returned = read.reduce((sum, { response }) => sum + response.data.length, 0)
  const statuses = [...Map.groupBy(records, ({ status }) => status)]
    .map(([status, { length: count }]) => ({ status, count }))
    .toSorted((one, other) => other.count - one.count)
  return {
    causes,
    notRead: notRead.map(({ message_id }) => message_id),
    records,
    statuses,
    total: records.length + unreadable,
    unreadable,
    ofOthers: returned - records.length
  }
}

type Records = ReturnType<typeof recordsOf>

const statusWords = ({ statuses, total }: Records): string => {
  const words = statuses.filter(({ status }) => isWord(status)).slice(0, maxListed)
  const others = words.reduce((left, { count }) => left - count, total)
  const counted = words.map(({ count, status }) => `${count} ${status}`)
  return [...counted, ...(others > 0 ? [`${others} with another status`] : [])].join(", ")
}

/** Counts the SMS of a batch, each once. */
const countsOf = (size: number, { last, old, others }: Batches.Known, { notRead }: Records) => {
  const of = (outcome: SendOutcome) => last.filter(Batches.hasOutcome(outcome))
  const othersSent = [...old, ...others].filter(Batches.hasOutcome("sent"))
  const withoutRecord = new Set(notRead)
  const sent = of("sent")
  // A decision gives no id.
  const decided = sent.filter(decidedSo).length
  const withId = sent.filter((send) => idsOf(send).length > 0)
  const read = withId.filter((send) => idsOf(send).some((id) => !withoutRecord.has(id))).length
  return {
    sent: sent.length,
    read,
    notRead: withId.length - read,
    withoutId: sent.length - withId.length - decided,
    decided,
    unknown: of("unknown").length,
    notSent: of("not-sent").length,
    withoutSend: Math.max(0, size - last.length),
    others: {
      decided: othersSent.filter(decidedSo).length,
      sent: othersSent.length,
      unknown: others.filter(Batches.hasOutcome("unknown")).map(({ id }) => id)
    }
  }
}

type Counts = ReturnType<typeof countsOf>

const messageOf = (size: number, counts: Counts, words: string): string => {
  const said: ReadonlyArray<readonly [count: number, one: string, many: string]> = [
    [counts.read, `has a record (${words})`, `have records (${words})`],
    [
      counts.notRead,
      "was sent, and no record of it was read",
      "were sent, and no record of them was read"
    ],
    [
      counts.withoutId,
      "was sent, and its id is not known",
      "were sent, and their ids are not known"
    ],
    [counts.decided, "was sent, as a person decided", "were sent, as a person decided"],
    [counts.unknown, "is of unknown outcome", "are of unknown outcome"],
    [counts.notSent, "was not sent", "were not sent"]
  ]
  const parts = said
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => `${count} ${count === 1 ? one : many}`)
  const rest = counts.withoutSend > 0 ? [Batches.withoutSend(counts.withoutSend)] : []
  return sentences(
    `A batch of ${size}: ${[...parts, ...rest].join("; ")}.`,
    alsoSent(counts.others)
  )
}

/** What became of the SMS of a batch, as far as this server knows; of those that have an id, the service was asked. */
const resultOf = (
  size: number,
  known: Batches.Known,
  read: Records,
  { canDecide, now }: { readonly canDecide: boolean; readonly now: number }
): ToolResult => {
  const counts = countsOf(size, known, read)
  const { ofOthers, records, statuses, total, unreadable } = read
  const usual = records.length > maxListed ? statuses[0]?.status : undefined
  const others = records.filter(({ status }) => status !== usual)
  const all = [...known.last, ...known.others]
  // While another send of it is unknown, the same call does not send it.
  const doubtful = new Set(known.others.filter(Batches.hasOutcome("unknown")).map(({ key }) => key))
  const ends = known.last.flatMap((send) =>
    Batches.hasOutcome("sent")(send) && !doubtful.has(send.key) ? (send.countsUntil ?? []) : []
  )
  const windowEnd = ends.length === 0 ? undefined : Math.min(...ends)
  const lastSent = Math.max(...all.filter(Batches.mayBeOut).map(({ claimedAt }) => claimedAt))
  const next = sentences(
    counts.unknown + counts.notSent + counts.withoutSend > 0 || alsoSent(counts.others) !== ""
      ? "list_recent_sends with the recipients says which."
      : "",
    counts.unknown + counts.withoutSend > 0
      ? "Only the person decides whether an unknown one is sent again."
      : "",
    Batches.inFlightAdvice(all),
    all.some(Batches.isUnknown) ? operatorDecides(canDecide) : "",
    counts.sent === size
      ? ""
      : Batches.windowOf({ sent: counts.sent, total: size }, windowEnd, canDecide),
    records.length > 0 ? StatusRecords.statusAdvice : "",
    counts.sent > 0 ? StatusRecords.noText : ""
  )
  return {
    message: messageOf(size, counts, statusWords(read)),
    ...(next === "" ? {} : { next }),
    total: size,
    sent: counts.sent,
    unknown: counts.unknown,
    not_sent: counts.notSent,
    without_send: counts.withoutSend,
    records: total + ofOthers,
    last_sent_at: lastSent > 0 ? isoOf(lastSent) : undefined,
    window_ends_at: windowEnd && isoOf(windowEnd),
    now: isoOf(now),
    ...listed(
      {
        unknown_ids: idsToDecide(
          canDecide,
          all.filter(Batches.isUnknown).map(({ id }) => id)
        ).toSorted((one, other) => one - other),
        statuses: statuses.slice(0, maxListed),
        causes: read.causes,
        not_read: read.notRead,
        data: others
      },
      {
        "not listed: they have the most frequent status": records.length - others.length,
        "with another message_id than asked for": ofOthers,
        [unreadableReason]: unreadable
      }
    )
  }
}

/** Other calls may have sent each SMS, or one letter of the id is wrong: nothing says that none went out. */
const noSuchBatch: ToolResult = {
  message: `No send of this caller has this id: ${Batches.whyWithoutSend("its SMS")}; or the id is wrong, or of another caller.`,
  next: "list_recent_sends with the recipients says what this caller sent to them.",
  total: 0,
  data: []
}

export const getSmsStatus = Tool.make({
  name: "get_sms_status",
  title: "Get SMS status",
  description: `Reads the status of an SMS, or what became of a batch. ${Tool.aboutTexts}`,
  annotations: Tool.readOnly,
  input: Schema.Struct({
    message_id: Schema.optionalKey(Schema.String.annotate({ description: "From its send" })),
    batch_id: Schema.optionalKey(Schema.String.annotate({ description: "Or a batch" }))
  }),
  output: { total: "integer", statuses: "array", data: "array" },
  run: Effect.fnUntraced(function* ({ batch_id, message_id }, caller) {
    if ((message_id === undefined) === (batch_id === undefined)) {
      return yield* Tool.invalidArguments("give message_id or batch_id")
    }
    if (message_id !== undefined) {
      const response = yield* statusOf(message_id)
      const ofOthers = response.data.length - ownRecords(message_id, response).length
      const advice = sentences(
        ofOthers > 0 ? `Records with another message_id than asked for: ${ofOthers}.` : "",
        StatusRecords.noText
      )
      return yield* StatusRecords.resultOf("SMS", response, advice)
    }
    const batch = batch_id ?? ""
    const size = Batches.sizeOf(batch)
    if (size === undefined) {
      return yield* Tool.invalidArguments(
        "batch_id is not the id of a batch: list_recent_sends has the ids"
      )
    }
    const known = (yield* Batches.read([batch], caller)).get(batch)
    if (known === undefined || known.last.length === 0) return noSuchBatch
    const ids = known.last.filter(({ state }) => state === "sent").flatMap(idsOf)
    const { canDecide } = yield* Journal
    const reads = yield* readAll(ids)
    const now = yield* Clock.currentTimeMillis
    return resultOf(size, known, recordsOf(ids, reads), { canDecide, now })
  })
})
