/**
 * The figures of a report, as the journal sums them up.
 */
import {
  type CampaignCounts,
  type KnownSend,
  type OutcomesAt,
  SendJournal
} from "@messaging-topup/journal"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { offsetOf } from "../text/LocalTime.ts"

/** The maximum number of unknown rows that a page lists. */
const maxListed = 1_000

/** The states that a page shows, each with its own colour and shape. */
export const shownStates = [
  "sent",
  "rejected",
  "unknown",
  "closed",
  "in-flight",
  "waiting"
] as const

export type ShownState = (typeof shownStates)[number]

export interface Reason {
  readonly state: "rejected" | "unknown"
  readonly reason?: string
  readonly count: number
}

/** Outcomes in steps of equal width. */
export interface Timeline {
  readonly widthMillis: number
  readonly steps: ReadonlyArray<OutcomesAt>
  readonly first: number
  readonly last: number
}

/** What only the file of the campaign tells. */
export interface FileCounts {
  /** Rows that the journal does not have, and that the next run sends. */
  readonly waiting: number
  /** Rows that are invalid, excluded or changed, so that no run sends them. */
  readonly impossible: number
}

export interface Summary {
  readonly counts: Readonly<Record<ShownState, number>>
  readonly total: number
  readonly reasons: ReadonlyArray<Reason>
  /** The first unknown rows. */
  readonly listed: ReadonlyArray<KnownSend>
  /** Absent if no row has an outcome. */
  readonly timeline?: Timeline
  readonly file?: FileCounts
  /** The time zone of the readers. */
  readonly zone: DateTime.TimeZone
}

const widths = [1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400].map(
  (seconds) => seconds * 1000
)

const maxSteps = 60

const widthOf = (length: number): number => {
  const fitting = widths.find((width) => length / width < maxSteps)
  const [day = 0] = widths.slice(-1)
  return fitting ?? day * Math.ceil(length / day / maxSteps)
}

const timelineOf = Effect.fnUntraced(function* (
  campaign: string,
  { firstAt, lastAt }: CampaignCounts,
  zone: DateTime.TimeZone
) {
  if (firstAt === undefined || lastAt === undefined) return undefined
  const { campaigns } = yield* SendJournal
  const widthMillis = widthOf(lastAt - firstAt)
  // Steps begin at the full hours and days of the readers' clocks when the first row ended.
  const offsetMillis = offsetOf(firstAt, zone)
  const steps = yield* campaigns.outcomes(campaign, { widthMillis, offsetMillis })
  const timeline: Timeline = { widthMillis, steps, first: firstAt, last: lastAt }
  return steps.length === 0 ? undefined : timeline
})

export const make = Effect.fnUntraced(function* (
  campaign: string,
  zone: DateTime.TimeZone,
  file: FileCounts | undefined
) {
  const { campaigns } = yield* SendJournal
  const found = yield* campaigns.counts(campaign)
  const timeline = yield* timelineOf(campaign, found, zone)
  const counts = {
    sent: found.sent,
    rejected: found.rejected,
    unknown: found.unknown,
    closed: found.closed,
    "in-flight": found["in-flight"],
    // Without the file, only those are known that a person freed.
    waiting: file?.waiting ?? found.freed
  }
  const summary: Summary = {
    counts,
    total: shownStates.reduce((sum, state) => sum + counts[state], 0),
    reasons: yield* campaigns.reasons(campaign),
    listed: yield* campaigns.sends(campaign, { states: ["unknown"], limit: maxListed }),
    ...(timeline === undefined ? {} : { timeline }),
    ...(file === undefined ? {} : { file }),
    zone
  }
  return summary
})
