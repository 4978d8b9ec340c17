/**
 * What a file of rows comes to.
 */
import { SmsText } from "@messaging-topup/core"
import type { InvalidRow, ReadRow } from "./Row.ts"

export interface Totals {
  /** Those that can be sent. */
  rows: number
  invalid: number
  segments: number
  /** Rows with the recipient and text of an earlier one. */
  repeated: number
  /** Rows with the key and content of an earlier one: one SMS for both. */
  same_key: number
  /** Numbers that were changed to E.164. */
  normalized: number
}

export const make = (): Totals => ({
  rows: 0,
  invalid: 0,
  segments: 0,
  repeated: 0,
  same_key: 0,
  normalized: 0
})

export const add = (totals: Totals, row: InvalidRow | ReadRow): void => {
  if (row._tag === "InvalidRow") {
    totals.invalid++
    return
  }
  totals.rows++
  if (row.isNormalized) totals.normalized++
  if (row.isSameKey) {
    totals.same_key++
    return
  }
  totals.segments += SmsText.preview(row.row.request.message).segments
  if (row.isRepeated) totals.repeated++
}
