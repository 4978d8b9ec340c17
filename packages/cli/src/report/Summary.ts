/** The figures of a report, as the journal sums them up. */
import {
  countsOf,
  type KnownSend,
  SendJournal,
  type SendState,
  type Tally
} from "@messaging-topup/journal/internal"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { offsetOf } from "../words/LocalTime.ts"

/** The maximum number of unknown rows that a page lists. */
const maxListed = 1_000

/** The states that a page shows, each with its own colour. */
export const shownStates = [
  "sent",
  "rejected",
  "unknown",
  "closed",
  "freed",
  "in-flight",
  "waiting",
  "repeated"
] as const satisfies ReadonlyArray<SendState | "repeated" | "waiting">

export type ShownState = (typeof shownStates)[number]

/** How a row may end. */
export const outcomes = ["sent", "rejected", "unknown"] as const

export type Outcome = (typeof outcomes)[number]

/** How many rows ended in each way from `at` on. */
export type Step = Readonly<Record<Outcome | "at", number>>

/** Outcomes in steps of equal width. Steps in which no row ended are left out. */
export interface Timeline {
  readonly widthMillis: number
  readonly steps: ReadonlyArray<Step>
  readonly first: number
  readonly last: number
}

/** What only the file of the campaign tells. */
interface FileCounts {
  /** Rows that the journal does not have, and that the next run sends. */
  readonly waiting: number
  /** Rows that the journal does not have, and whose recipients got another SMS, or may have. */
  readonly repeated: number
  /** Rows that the journal does not have, and that are invalid. */
  readonly impossible: number
  /** The same of those that the stop list excludes. */
  readonly excluded: number
  /** Rows that the journal has. */
  readonly known: number
}

export interface Summary {
  readonly counts: Readonly<Record<ShownState, number>>
  readonly total: number
  /** Of the messages, those of rows that the file no longer has. 0 without the file. */
  readonly gone: number
  /** The reasons of rejected and unknown rows, the most frequent first. */
  readonly reasons: ReadonlyArray<Pick<Tally, "count" | "reason" | "state">>
  /** The first unknown rows. */
  readonly listed: ReadonlyArray<KnownSend>
  /** Absent if no row has an outcome. */
  readonly timeline: Timeline | undefined
  readonly file: FileCounts | undefined
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

const isOutcome = ({ state }: Tally) => outcomes.some((outcome) => outcome === state)

const timelineOf = Effect.fnUntraced(function* (
  campaign: string,
  tallies: ReadonlyArray<Tally>,
  zone: DateTime.TimeZone
) {
  const ended = tallies.filter(isOutcome)
  if (ended.length === 0) return undefined
  const { campaigns } = yield* SendJournal
  const first = Math.min(...ended.map(({ firstAt }) => firstAt))
  const last = Math.max(...ended.map(({ lastAt }) => lastAt))
  const widthMillis = widthOf(last - first)
  // Steps begin at the full hours and days of the readers' clocks when the first row ended.
  const offsetMillis = offsetOf(first, zone)
  const found = (yield* campaigns.tallies(campaign, { widthMillis, offsetMillis })).filter(
    isOutcome
  )
  const steps = Map.groupBy(
    found,
    ({ firstAt }) => Math.floor((firstAt + offsetMillis) / widthMillis) * widthMillis - offsetMillis
  )
  const timeline: Timeline = {
    widthMillis,
    steps: [...steps]
      .map(([at, some]) => ({ at, ...countsOf(some) }))
      .toSorted((one, other) => one.at - other.at),
    first,
    last
  }
  return timeline
})

export const make = Effect.fnUntraced(function* (
  campaign: string,
  zone: DateTime.TimeZone,
  file: FileCounts | undefined
) {
  const { campaigns, decidable } = yield* SendJournal
  const tallies = yield* campaigns.tallies(campaign)
  const { known = 0, repeated = 0, waiting = 0 } = file ?? {}
  const counts = { ...countsOf(tallies), waiting, repeated }
  const total = shownStates.reduce((sum, state) => sum + counts[state], 0)
  const summary: Summary = {
    counts,
    total,
    gone: file === undefined ? 0 : Math.max(0, total - waiting - repeated - known),
    reasons: tallies.filter(({ state }) => state === "rejected" || state === "unknown"),
    listed: (yield* decidable({ campaign })).slice(0, maxListed),
    timeline: yield* timelineOf(campaign, tallies, zone),
    file,
    zone
  }
  return summary
})
