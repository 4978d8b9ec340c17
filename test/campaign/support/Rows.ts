/**
 * Rows to send. The last digit of each recipient keeps the sandbox from forcing a failure.
 */
import { Campaign } from "@messaging-topup/campaign"
import type { NewRow } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

export const rowOf = (index: number, end = "7", message = `Hello ${index}`): NewRow => ({
  key: `k${index}`,
  request: { recipient: `+1555${1000 + index}${end}`, message }
})

export const rows = (count: number, message?: string): Stream.Stream<NewRow> =>
  Stream.map(Stream.range(0, count - 1), (index) => rowOf(index, "7", message))

/** The counts of a campaign without rows. */
export const none = { pending: 0, attempting: 0, sent: 0, rejected: 0, unknown: 0 }

/** The counts of the campaign "c". */
export const counts = Effect.map(Campaign.status("c"), (status) => status.counts)
