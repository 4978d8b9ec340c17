/** Shows the progress of a campaign on one line of the terminal. */
import * as Clock from "effect/Clock"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { SendManyEvent } from "@messaging-topup/journal"
import { Invocation, numberOf } from "@messaging-topup/command"
import * as LocalTime from "../words/LocalTime.ts"

type Wait = Extract<
  SendManyEvent,
  { readonly _tag: "JournalLost" | "Waiting" | "WaitingForOthers" }
>

/** How many rows were done at a time. */
type Sample = readonly [at: number, done: number]

export interface Figures {
  readonly total: number
  readonly zone: DateTime.TimeZone
  sent: number
  rejected: number
  unknown: number
  /** The rate is that since `before`, which is at most two samples old. */
  before: Sample
  last: Sample
  waiting?: Wait
}

const sampleMillis = 5_000

const doneOf = ({ rejected, sent, unknown }: Figures): number => sent + rejected + unknown

const twoDigits = (value = 0): string => String(value).padStart(2, "0")

const timeOf = (seconds: number): string => {
  const whole = Math.max(1, Math.ceil(seconds))
  const [hours, minutes, rest] = [whole / 3600, (whole % 3600) / 60, whole % 60].map(Math.floor)
  return hours === 0
    ? `${minutes}:${twoDigits(rest)}`
    : `${hours}:${twoDigits(minutes)}:${twoDigits(rest)}`
}

const reasons = {
  "no-connection": "no connection to the service",
  "quiet-hours": "quiet hours",
  "slow-down": "the service is busy"
} as const

/** The reason comes first, and stays if the terminal is narrow. No wait is as long as a day. */
const waitOf = (waiting: Wait, zone: DateTime.TimeZone, now: number): ReadonlyArray<string> => {
  switch (waiting._tag) {
    case "JournalLost":
      return ["waiting for the journal"]
    case "WaitingForOthers":
      return [`waiting for ${numberOf(waiting.rows)} in flight in another process`]
    case "Waiting": {
      const { clock, offset } = LocalTime.partsOf(waiting.until, zone)
      const rest = now < waiting.until ? `waiting until ${clock} ${offset}` : "trying again"
      return [reasons[waiting.why], rest]
    }
  }
}

const rateOf = (figures: Figures, now: number): ReadonlyArray<string> => {
  if (figures.waiting !== undefined) return waitOf(figures.waiting, figures.zone, now)
  const [at, done] = figures.before
  const perSecond = now > at ? ((doneOf(figures) - done) * 1000) / (now - at) : 0
  if (perSecond <= 0) return []
  const shown = perSecond >= 10 ? numberOf(Math.round(perSecond)) : perSecond.toFixed(1)
  const left = Math.max(0, figures.total - doneOf(figures))
  return [`${shown}/s`, `ETA ${timeOf(left / perSecond)}`]
}

const barWidth = 24

/** Returns the line of progress, cut where the terminal ends. */
export const line = (figures: Figures, now: number, width: number): string => {
  const share = figures.total === 0 ? 1 : Math.min(1, doneOf(figures) / figures.total)
  const filled = Math.round(share * barWidth)
  const bar = `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}]`
  const text = [
    `${String(Math.floor(share * 100)).padStart(3)}%`,
    `${numberOf(doneOf(figures))}/${numberOf(figures.total)}`,
    ...rateOf(figures, now),
    ...(figures.rejected > 0 ? [`rejected ${numberOf(figures.rejected)}`] : []),
    ...(figures.unknown > 0 ? [`unknown ${numberOf(figures.unknown)}`] : [])
  ].join("  ")
  // The last column stays free: some terminals wrap the line there.
  if (text.length + 1 + bar.length >= width) return text.slice(0, Math.max(0, width - 1))
  return `${bar} ${text}`
}

const update = (figures: Figures, event: SendManyEvent, now: number): void => {
  switch (event._tag) {
    case "Settled":
      figures.sent += event.sent
      figures.rejected += event.rejected
      figures.unknown += event.unknown
      // Rows that did not go out do not end an outage: its reason stays on the screen.
      if (event.sent + event.rejected + event.unknown > 0) delete figures.waiting
      if (now - figures.last[0] >= sampleMillis) {
        figures.before = figures.last
        figures.last = [now, doneOf(figures)]
      }
      return
    case "JournalLost":
    case "Waiting":
    case "WaitingForOthers":
      figures.waiting = event
      return
    case "GoesOn":
    case "JournalBack":
      delete figures.waiting
      return
    case "Changed":
    case "JournalReplaced":
    case "OutcomesLost":
  }
}

/** Shows the line until the scope closes. Returns how to update it. */
export const make = Effect.fnUntraced(function* (total: number, zone: DateTime.TimeZone) {
  const start: Sample = [yield* Clock.currentTimeMillis, 0]
  const figures: Figures = {
    total,
    zone,
    sent: 0,
    rejected: 0,
    unknown: 0,
    before: start,
    last: start
  }
  const { terminal } = yield* Invocation
  yield* terminal.draw(({ now, width }) => line(figures, now, width))
  return (event: SendManyEvent) =>
    Effect.map(Clock.currentTimeMillis, (now) => update(figures, event, now))
})
