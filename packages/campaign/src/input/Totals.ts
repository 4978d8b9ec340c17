/**
 * The totals of a file of rows: rows, segments, duplicates.
 */
import { SmsText } from "@messaging-topup/core"
import type { FileRow, ReadRow } from "./Row.ts"

export interface Totals {
  /** Rows that can be sent. */
  rows: number
  invalid: number
  segments: number
  /** Of the rows that can be sent, those with the same recipient as an earlier row. */
  repeated_recipients: number
  /** Rows to numbers that are not written to. */
  excluded: number
  /** Rows over the limit of a trial. */
  over_limit: number
}

export const segmentsOf = ({ row }: ReadRow): number =>
  SmsText.preview(row.request.message).segments

export const make = (): Totals => ({
  rows: 0,
  invalid: 0,
  segments: 0,
  repeated_recipients: 0,
  excluded: 0,
  over_limit: 0
})

export const add = (totals: Totals, row: FileRow): void => {
  if (row._tag === "SkippedRow") {
    if (row.reason === "excluded") totals.excluded++
    else totals.over_limit++
    return
  }
  if (row._tag === "InvalidRow") {
    totals.invalid++
    return
  }
  totals.rows++
  if (row.isSecondToRecipient) totals.repeated_recipients++
  totals.segments += segmentsOf(row)
}
