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

export interface State {
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

const doneOf = ({ rejected, sent, unknown }: State): number => sent + rejected + unknown

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

const paceOf = (state: State, now: number): ReadonlyArray<string> => {
  if (state.waiting !== undefined) return waitOf(state.waiting, state.zone, now)
  const [at, done] = state.before
  const perSecond = now > at ? ((doneOf(state) - done) * 1000) / (now - at) : 0
  if (perSecond <= 0) return []
  const shown = perSecond >= 10 ? numberOf(Math.round(perSecond)) : perSecond.toFixed(1)
  const left = Math.max(0, state.total - doneOf(state))
  return [`${shown}/s`, `ETA ${timeOf(left / perSecond)}`]
}

const barWidth = 24

/** Returns the line of progress, cut where the terminal ends. */
export const line = (state: State, now: number, width: number): string => {
  const share = state.total === 0 ? 1 : Math.min(1, doneOf(state) / state.total)
  const filled = Math.round(share * barWidth)
  const bar = `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}]`
  const text = [
    `${String(Math.floor(share * 100)).padStart(3)}%`,
    `${numberOf(doneOf(state))}/${numberOf(state.total)}`,
    ...paceOf(state, now),
    ...(state.rejected > 0 ? [`rejected ${numberOf(state.rejected)}`] : []),
    ...(state.unknown > 0 ? [`unknown ${numberOf(state.unknown)}`] : [])
  ].join("  ")
  // The last column stays free: some terminals wrap the line there.
  if (text.length + 1 + bar.length >= width) return text.slice(0, Math.max(0, width - 1))
  return `${bar} ${text}`
}

const update = (state: State, event: SendManyEvent, now: number): void => {
  switch (event._tag) {
    case "Settled":
      state.sent += event.sent
      state.rejected += event.rejected
      state.unknown += event.unknown
      // Rows that did not go out do not end an outage: its reason stays on the screen.
      if (event.sent + event.rejected + event.unknown > 0) delete state.waiting
      if (now - state.last[0] >= sampleMillis) {
        state.before = state.last
        state.last = [now, doneOf(state)]
      }
      return
    case "JournalLost":
    case "Waiting":
    case "WaitingForOthers":
      state.waiting = event
      return
    case "GoesOn":
    case "JournalBack":
      delete state.waiting
      return
    case "Changed":
    case "JournalReplaced":
    case "OutcomesLost":
  }
}

/** Shows the line until the scope closes. Returns how to update it. */
export const make = Effect.fnUntraced(function* (total: number, zone: DateTime.TimeZone) {
  const start: Sample = [yield* Clock.currentTimeMillis, 0]
  const state: State = {
    total,
    zone,
    sent: 0,
    rejected: 0,
    unknown: 0,
    before: start,
    last: start
  }
  const { terminal } = yield* Invocation
  yield* terminal.draw(({ now, width }) => line(state, now, width))
  return (event: SendManyEvent) =>
    Effect.map(Clock.currentTimeMillis, (now) => update(state, event, now))
})
