/**
 * The tool `get_sms_status`.
 */
import { MessagingTopup, SmsStatusRecord } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { invalidArguments, type Refusal } from "../send/Refusal.ts"
import { failedRead } from "../send/ServiceFailure.ts"
import { plural, sentences } from "../send/Text.ts"
import { filled } from "./TextArgument.ts"
import * as StatusRecords from "./StatusRecords.ts"
import * as Tool from "./Tool.ts"
import * as ToolSchema from "./ToolSchema.ts"
import { fit, leftOut, tooLongReason, type ToolResult, unreadableReason } from "./ToolResult.ts"

const maxIds = 100

const readsInFlight = 8

/** Hosts give up on a call after 60 seconds. */
const readWithin = "50 seconds"

const Output = Schema.Struct({
  total: Schema.optionalKey(Schema.Int),
  returned: Schema.optionalKey(Schema.Int),
  statuses: Schema.optionalKey(ToolSchema.Records),
  not_read: Schema.optionalKey(ToolSchema.Records),
  data: Schema.Array(SmsStatusRecord)
})

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

/** A count of each says little where nearly all differ. */
const maxStatuses = 10

/** The records show what differs between many SMS: a call for one id shows the rest. */
const resultOf = (
  ids: ReadonlyArray<string>,
  reads: ReadonlyMap<string, Read>
): ToolResult<typeof Output.Type> => {
  const notRead: Array<{ readonly message_id: string; readonly why: string }> = []
  const records: Array<Pick<SmsStatusRecord, "message_id" | "recipient" | "status">> = []
  let unreadable = 0
  for (const id of ids) {
    const read = reads.get(id)
    const why = whyNot(read)
    if (why !== undefined) notRead.push({ message_id: id, why })
    if (read === undefined || Result.isFailure(read)) continue
    unreadable += read.success.unreadable ?? 0
    for (const { message_id = id, recipient, status } of read.success.data) {
      records.push({ message_id, ...(recipient === undefined ? {} : { recipient }), status })
    }
  }
  const byStatus = Map.groupBy(records, ({ status }) => status)
  const statuses = [...byStatus].map(([status, { length: count }]) => ({ status, count }))
  const counts = fit(statuses.length > maxStatuses ? [] : statuses)
  const failed = fit(notRead, counts.left)
  const { shown, tooLong } = fit(records, failed.left)
  const total = records.length + unreadable
  const isCut = tooLong + failed.tooLong > 0
  return {
    message: sentences(
      `The service has ${plural(total, "record")} of these ${ids.length} SMS.`,
      notRead.length === 0 ? "" : `Of ${notRead.length} of them it has none, or none was read.`
    ),
    ...(total === 0 && !isCut
      ? {}
      : {
          next: sentences(
            isCut ? "For the rest, call again with the other ids." : "",
            total === 0 ? "" : StatusRecords.statusAdvice
          )
        }),
    total,
    returned: shown.length,
    ...(statuses.length > maxStatuses ? {} : { statuses: counts.shown }),
    ...(notRead.length === 0 ? {} : { not_read: failed.shown }),
    data: shown,
    ...leftOut({
      [tooLongReason]: tooLong,
      [unreadableReason]: unreadable,
      "not read, and more than one result can hold": failed.tooLong
    })
  }
}

export const getSmsStatus = Tool.make({
  name: "get_sms_status",
  title: "Get SMS status",
  description: `Reads the status of one SMS, or of many. Free; sends nothing. Quote it. ${Tool.aboutTexts}`,
  annotations: Tool.readOnly,
  input: Schema.Struct({
    message_id: Schema.optionalKey(
      filled(Schema.String.annotate({ description: "Id of the message, from its send" }))
    ),
    message_ids: Schema.optionalKey(
      Schema.Array(filled(Schema.String)).annotate({
        description: `Or several, at most ${maxIds}`
      })
    )
  }),
  output: Output,
  run: Effect.fnUntraced(function* ({ message_id, message_ids = [] }) {
    if (message_ids.length === 0 && message_id !== undefined) {
      return StatusRecords.resultOf("SMS", yield* statusOf(message_id))
    }
    const ids = [...new Set(message_ids)]
    if (message_id !== undefined || ids.length === 0 || ids.length > maxIds) {
      return yield* invalidArguments(`give message_id, or message_ids with at most ${maxIds}`)
    }
    const reads = yield* readAll(ids)
    const first = reads.values().next().value
    const isAnyRead = [...reads.values()].some(Result.isSuccess)
    // What fails for all, such as a wrong token, is one error.
    return isAnyRead || first === undefined || Result.isSuccess(first)
      ? resultOf(ids, reads)
      : yield* first.failure
  })
})
