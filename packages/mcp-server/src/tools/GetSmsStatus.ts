/** The tool `get_sms_status`. */
import { MessagingTopup } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Refusal } from "../send/Refusal.ts"
import { failedRead } from "../send/ServiceFailure.ts"
import { Journal } from "../send/Journal.ts"
import type { Identity } from "../send/Caller.ts"
import { plural, sentences } from "../Sentences.ts"
import { isVisible } from "../Visible.ts"
import { maxEntries, oneLine } from "./ToolSchema.ts"
import * as StatusRecords from "./StatusRecords.ts"
import * as Tool from "./Tool.ts"
import { fit, leftOut, tooLongReason, type ToolResult, unreadableReason } from "./ToolResult.ts"

const readsInFlight = 8

/** Less than a call may take, so that what was read by then is a result. */
const readWithin = "45 seconds"

const statusOf = (messageId: string) =>
  MessagingTopup.use((service) => service.getSmsStatus(messageId)).pipe(
    Effect.mapError(failedRead("SMS status"))
  )

type Read = Result.Result<Effect.Success<ReturnType<typeof statusOf>>, Refusal>

/** One request for each id. Those that were not read in time are missing. */
const readAll = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const reads = new Map<string, Read>()
  yield* Effect.forEach(
    ids,
    (id) => Effect.map(Effect.result(statusOf(id)), (read) => reads.set(id, read)),
    { concurrency: readsInFlight, discard: true }
  ).pipe(Effect.timeoutOption(readWithin))
  return reads
})

const whyNot = (read: Read | undefined): string | undefined => {
  if (read === undefined) return `it was not read within ${readWithin}`
  if (Result.isFailure(read)) return read.failure.what
  return read.success.data.length === 0 ? "the service has no record of it" : undefined
}

/** Of more records, those with the most frequent status are only counted. */
const maxListed = 10

/** The records show what differs between many SMS: a call for one id shows the rest. */
const resultOf = (
  ids: ReadonlyArray<string>,
  reads: ReadonlyMap<string, Read>,
  others: Readonly<Record<string, number>>
): ToolResult => {
  const notRead = ids.flatMap((message_id) => {
    const why = whyNot(reads.get(message_id))
    return why === undefined ? [] : [{ message_id, why }]
  })
  const read = ids.flatMap((id) => {
    const each = reads.get(id)
    return each === undefined || Result.isFailure(each) ? [] : [{ id, response: each.success }]
  })
  const records = read.flatMap(({ id, response }) =>
    response.data.map(({ message_id = id, recipient, status }) => ({
      message_id,
      ...(recipient === undefined ? {} : { recipient }),
      status
    }))
  )
  const unreadable = read.reduce((sum, { response }) => sum + (response.unreadable ?? 0), 0)
  const byStatus = [...Map.groupBy(records, ({ status }) => status)]
    .map(([status, { length: count }]) => ({ status, count }))
    .toSorted((one, other) => other.count - one.count)
  const usual = records.length > maxListed ? byStatus[0]?.status : undefined
  const listed = records.filter(({ status }) => status !== usual)
  const statuses = fit(byStatus.slice(0, maxListed))
  const failed = fit(notRead, statuses.left)
  const { shown, tooLong } = fit(listed, failed.left)
  const isCut = tooLong + failed.tooLong > 0
  return {
    message: sentences(
      `The service has ${plural(records.length + unreadable, "record")} of these ${ids.length} SMS.`,
      notRead.length === 0 ? "" : `Of ${notRead.length} of them it has none, or none was read.`
    ),
    next: sentences(
      isCut ? "For the rest, call again with the other ids." : "",
      StatusRecords.statusAdvice
    ),
    total: records.length + unreadable,
    ...(records.length === 0 ? {} : { statuses: statuses.shown }),
    ...(notRead.length === 0 ? {} : { not_read: failed.shown }),
    data: shown,
    ...leftOut({
      "read and counted in statuses, with the most frequent one": records.length - listed.length,
      [tooLongReason]: tooLong,
      [unreadableReason]: unreadable,
      ...others,
      "not read, and more than one result can hold": failed.tooLong
    })
  }
}

/** The ids of the rows of a batch, and how many have none. */
const idsOfBatch = Effect.fnUntraced(function* (batch: string, { id: caller }: Identity) {
  const { use } = yield* Journal
  const limit = 10 * maxEntries
  const sends = yield* use(({ server }) => server.recent({ caller, batch, limit }))
  const ids = sends.flatMap(({ messages }) => messages.map(({ message_id }) => message_id))
  const sent = ids.filter(isVisible)
  return { ids: sent.toReversed(), without: sends.length - sent.length }
})

export const getSmsStatus = Tool.make({
  name: "get_sms_status",
  title: "Get SMS status",
  description: `Reads the status of SMS. ${Tool.aboutTexts}`,
  annotations: Tool.readOnly,
  input: Schema.Struct({
    message_id: Schema.optionalKey(Schema.String.annotate({ description: "Id from its send" })),
    message_ids: Schema.optionalKey(
      Schema.Array(oneLine(Schema.String)).annotate({
        description: `Or up to ${maxEntries}`
      })
    ),
    batch_id: Schema.optionalKey(Schema.String.annotate({ description: "Or a batch" }))
  }),
  output: { total: "integer", statuses: "array", data: "array" },
  run: Effect.fnUntraced(function* ({ batch_id, message_id, message_ids = [] }, caller) {
    const listed = [...new Set(message_ids)]
    const forms = [message_id, listed[0], batch_id].filter((form) => form !== undefined)
    if (forms.length !== 1 || listed.length > maxEntries) {
      return yield* Tool.invalidArguments(
        `give message_id, or message_ids with at most ${maxEntries}, or batch_id`
      )
    }
    if (message_id !== undefined) {
      return yield* StatusRecords.resultOf("SMS", yield* statusOf(message_id))
    }
    const batch =
      batch_id === undefined ? { ids: listed, without: 0 } : yield* idsOfBatch(batch_id, caller)
    const ids = batch.ids.slice(0, maxEntries)
    if (ids.length === 0) {
      return { message: "No message_id of such a batch of yours is known.", total: 0, data: [] }
    }
    const reads = yield* readAll(ids)
    const first = reads.values().next().value
    const isAnyRead = [...reads.values()].some(Result.isSuccess)
    // What fails for all, such as a wrong token, is one error.
    return isAnyRead || first === undefined || Result.isSuccess(first)
      ? resultOf(ids, reads, {
          "without a message_id": batch.without,
          "beyond the limit": batch.ids.length - ids.length
        })
      : yield* first.failure
  })
})
