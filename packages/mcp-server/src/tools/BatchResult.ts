/**
 * The result of a batch: counts, then only the rows that need attention, and the ids.
 */
import * as Schema from "effect/Schema"
import { type BatchRow, rangesOf, type RowEnd } from "../send/BatchRow.ts"
import type { BatchRun } from "../send/BatchRun.ts"
import { factsOf } from "../send/Refusal.ts"
import { isVisible, sentences } from "../send/Text.ts"
import * as ToolSchema from "./ToolSchema.ts"
import { fit, leftOut, tooLongReason, type ToolResult } from "./ToolResult.ts"

export const Output = Schema.Struct({
  outcome: Schema.Literals(["sent", "partly-sent", "not-sent", "unknown"]),
  total: Schema.Int,
  sent: Schema.Int,
  not_sent: Schema.Int,
  unknown: Schema.Int,
  waiting: Schema.Int,
  approved_by: Schema.Literals(["person", "none"]),
  message_ids: Schema.Array(Schema.String),
  causes: Schema.optionalKey(ToolSchema.Records),
  rows: Schema.optionalKey(ToolSchema.Records)
})

interface FailedRow {
  readonly row: BatchRow
  readonly end: RowEnd & { readonly outcome: "not-sent" | "unknown" }
}

/** The cause of rows whose turn did not come: their batch was stopped. */
const neverStarted = {
  code: "not_started",
  what: "Its turn did not come: the batch ended before.",
  next: "The same call again sends it."
}

const causeOf = ({ end: { outcome, refusal } }: FailedRow) => {
  if (refusal === undefined) return { outcome, ...neverStarted }
  const { code, http_status }: Readonly<Record<string, unknown>> = factsOf(refusal, false)
  return {
    outcome,
    code: String(code),
    ...(http_status === undefined ? {} : { http_status }),
    what: refusal.what,
    next: refusal.next
  }
}

/** Says each cause once, with the numbers of its rows. */
const causesOf = (failed: ReadonlyArray<FailedRow>) => {
  const byText = Map.groupBy(failed, (each) => JSON.stringify(causeOf(each)))
  return [...byText.values()].flatMap((each) => {
    const [first] = each
    if (first === undefined) return []
    const { next, what, ...facts } = causeOf(first)
    return [{ ...facts, rows: rangesOf(each.map(({ row }) => row.number)), what, next }]
  })
}

const counted = (count: number, total: number): string => {
  if (count === 0) return `None of ${total}`
  return count === total ? `All ${total}` : `${count} of ${total}`
}

const were = (count: number): string => `${count} ${count === 1 ? "was" : "were"}`

const messageOf = (counts: ReturnType<typeof countsOf>, earlier: number): string => {
  const { not_sent, sent, total, unknown, waiting } = counts
  const parts = [
    `${waiting > 0 ? "So far, " : ""}${counted(sent, total)} SMS were sent${earlier > 0 ? `, ${earlier} of them by an earlier call` : ""}`,
    ...(not_sent > 0 ? [`${were(not_sent)} not`] : []),
    ...(unknown > 0 ? [`of ${unknown} it is unknown`] : []),
    ...(waiting > 0 ? [`${waiting} ${waiting === 1 ? "has" : "have"} not ended`] : [])
  ]
  return `${parts.join("; ")}.`
}

const countsOf = ({ ends, rows }: BatchRun) => {
  const of = (outcome: RowEnd["outcome"]) =>
    [...ends.values()].filter((end) => end.outcome === outcome).length
  return {
    total: rows.length,
    sent: of("sent"),
    not_sent: of("not-sent"),
    unknown: of("unknown"),
    waiting: rows.length - ends.size
  }
}

/** Of all rows together. In doubt it is unknown. */
const outcomeOf = ({ sent, total, unknown, waiting }: ReturnType<typeof countsOf>) => {
  if (unknown + waiting > 0) return "unknown"
  if (sent === total) return "sent"
  return sent === 0 ? "not-sent" : "partly-sent"
}

const nextOf = (
  { not_sent, sent, unknown, waiting }: ReturnType<typeof countsOf>,
  offers: (tool: string) => boolean
): string => {
  if (waiting > 0) {
    return "The batch goes on without this call. Make the same call again to hear the rest: it sends nothing twice."
  }
  return sentences(
    unknown > 0 ? "Tell the person which are unknown, and do not send those again." : "",
    not_sent > 0
      ? "When the cause is gone, the same call again sends only what was not sent; the person is asked again."
      : "",
    not_sent + unknown === 0
      ? "Do not send them again, unless the person wants second copies."
      : "",
    sent > 0 && offers("get_sms_status") ? "Follow them with get_sms_status and message_ids." : ""
  )
}

const isFailed = (each: { row: BatchRow; end: RowEnd | undefined }): each is FailedRow =>
  each.end !== undefined && each.end.outcome !== "sent"

export const make = (
  run: BatchRun,
  offers: (tool: string) => boolean
): ToolResult<typeof Output.Type> => {
  const counts = countsOf(run)
  const rows = run.rows.map((row) => ({ row, end: run.ends.get(row.number) }))
  const sent = rows.flatMap(({ end }) => (end?.outcome === "sent" ? [end] : []))
  const failed = rows.filter(isFailed)
  const ids = sent.flatMap(({ results }) => results.map(({ message_id }) => message_id))
  const readable = ids.filter(isVisible)
  const causes = fit(causesOf(failed))
  const failedRows = fit(
    failed
      .filter(({ end }) => end.refusal !== undefined)
      .map(({ end: { outcome }, row }) => ({
        row: row.number,
        recipient: row.request.recipient,
        outcome
      })),
    causes.left
  )
  const shownIds = fit(readable, failedRows.left)
  return {
    message: messageOf(counts, sent.filter(({ isEarlier }) => isEarlier).length),
    next: nextOf(counts, offers),
    outcome: outcomeOf(counts),
    ...counts,
    approved_by: run.approvedBy,
    ...(failed.length === 0 ? {} : { causes: causes.shown, rows: failedRows.shown }),
    message_ids: shownIds.shown,
    ...leftOut({
      [tooLongReason]: causes.tooLong + failedRows.tooLong + shownIds.tooLong,
      "no message_id that can be read": ids.length - readable.length
    })
  }
}
