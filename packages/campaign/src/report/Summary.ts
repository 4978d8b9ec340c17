/**
 * The figures of a report, collected in bounded memory.
 */
import { SmsText } from "@messaging-topup/core"
import type { Row, RowCounts, RowState } from "@messaging-topup/journal"
import type * as DateTime from "effect/DateTime"
import { offsetOf } from "./LocalTime.ts"
import * as Tally from "./Tally.ts"
import * as Timeline from "./Timeline.ts"

/** The maximum number of unknown rows that a page lists. */
const maxListed = 1_000

export interface UnknownRow {
  readonly key: string
  readonly at: number
  readonly reason: string | undefined
  readonly recipient?: string
}

export interface Summary {
  readonly counts: RowCounts
  readonly total: number
  /** The segments of all texts. */
  readonly segments: number
  /** The segments of the texts of sent rows. */
  readonly sentSegments: number
  /** The reasons for rejected rows. */
  readonly rejected: Tally.Tally
  /** The reasons for unknown rows. */
  readonly unknown: Tally.Tally
  /** The service's statuses of sent rows. */
  readonly statuses: Tally.Tally
  /** The first unknown rows. */
  readonly listed: ReadonlyArray<UnknownRow>
  readonly time: Timeline.TimeView | undefined
  /** Rows that were cancelled before they were sent. They count as rejected, but not as sends. */
  readonly cancelled: number
  /** The time zone of the readers. */
  readonly zone: DateTime.TimeZone
}

export const make = (showRecipients: boolean, zone: DateTime.TimeZone) => {
  const counts: Record<RowState, number> = {
    pending: 0,
    attempting: 0,
    sent: 0,
    rejected: 0,
    unknown: 0
  }
  const rejected = Tally.make()
  const unknown = Tally.make()
  const statuses = Tally.make()
  const timeline = Timeline.make((at) => offsetOf(at, zone))
  const listed = new Array<UnknownRow>()
  let [total, segments, sentSegments, cancelled] = [0, 0, 0, 0]

  const addOutcome = ({ at, info, key, request, state, status }: Row): void => {
    switch (state) {
      case "sent":
        statuses.add(status)
        return timeline.add(at, state)
      case "rejected":
        rejected.add(info)
        if (info !== "cancelled") return timeline.add(at, state)
        cancelled++
        return
      case "unknown": {
        unknown.add(info)
        const reason = info === undefined ? undefined : Tally.shortened(info)
        const { recipient } = request
        if (listed.length < maxListed) {
          listed.push({ key, at, reason, ...(showRecipients ? { recipient } : {}) })
        }
        return timeline.add(at, state)
      }
      case "pending":
      case "attempting":
    }
  }

  return {
    add: (row: Row): void => {
      const { message } = row.request
      const rowSegments = SmsText.preview(message).segments
      total++
      counts[row.state]++
      segments += rowSegments
      if (row.state === "sent") sentSegments += rowSegments
      addOutcome(row)
    },
    summary: (): Summary => ({
      counts,
      total,
      segments,
      sentSegments,
      rejected,
      unknown,
      statuses,
      listed,
      time: timeline.view(),
      cancelled,
      zone
    })
  }
}
