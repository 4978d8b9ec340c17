/**
 * Shows the progress of a campaign on one line of the terminal.
 */
import * as Clock from "effect/Clock"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { CampaignEvent } from "../sending/CampaignEvent.ts"
import * as LocalTime from "../report/LocalTime.ts"
import * as LiveLine from "./LiveLine.ts"
import { numberOf } from "../report/Format.ts"

export interface State {
  readonly total: number | undefined
  readonly zone: DateTime.TimeZone
  sent: number
  rejected: number
  unknown: number
  /** How many rows were done at which time: one sample for each of the last 10 seconds. */
  readonly samples: Array<readonly [at: number, done: number]>
  waiting?: Extract<CampaignEvent, { readonly _tag: "JournalLost" | "Waiting" }>
}

const doneOf = ({ rejected, sent, unknown }: State): number => sent + rejected + unknown

const rateMillis = 10_000

const sampleMillis = 1000

const twoDigits = (value: number): string => String(value).padStart(2, "0")

const timeOf = (seconds: number): string => {
  const whole = Math.max(1, Math.ceil(seconds))
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor((whole % 3600) / 60)
  const rest = twoDigits(whole % 60)
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${rest}` : `${minutes}:${rest}`
}

const reasons = {
  "no-connection": "no connection to the service",
  "quiet-hours": "quiet hours",
  "slow-down": "the service is busy"
} as const

/** With the day if it is not today: `14:03:10 +03:00`. */
const localOf = (millis: number, zone: DateTime.TimeZone, now: number): string => {
  const { clock, day, offset } = LocalTime.partsOf(millis, zone)
  return day === LocalTime.partsOf(now, zone).day
    ? `${clock} ${offset}`
    : LocalTime.second(millis, zone)
}

/** The reason comes first, and stays if the terminal is narrow. */
const waitOf = (
  waiting: NonNullable<State["waiting"]>,
  zone: DateTime.TimeZone,
  now: number
): ReadonlyArray<string> => {
  if (waiting._tag === "JournalLost") return ["waiting for the journal"]
  const { until, why } = waiting
  return [reasons[why], now < until ? `waiting until ${localOf(until, zone, now)}` : "trying again"]
}

const paceOf = (state: State, now: number): ReadonlyArray<string> => {
  if (state.waiting !== undefined) return waitOf(state.waiting, state.zone, now)
  const [at, done] = state.samples[0] ?? [now, 0]
  const perSecond = now > at ? ((doneOf(state) - done) * 1000) / (now - at) : 0
  if (perSecond <= 0) return []
  return [
    `${perSecond >= 10 ? numberOf(Math.round(perSecond)) : perSecond.toFixed(1)}/s`,
    ...(state.total === undefined
      ? []
      : [`ETA ${timeOf((state.total - doneOf(state)) / perSecond)}`])
  ]
}

const barWidth = 24

/** Returns the line of progress, with as many fields as fit, the most important first. */
export const line = (state: State, now: number, width: number, canColor: boolean): string => {
  const { total } = state
  const share = total === 0 ? 1 : Math.min(1, doneOf(state) / (total ?? Infinity))
  const filled = Math.round(share * barWidth)
  const bar = `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}]`
  const done = numberOf(doneOf(state))
  const parts = [
    ...(total === undefined
      ? [`${done} done`]
      : [`${String(Math.floor(share * 100)).padStart(3)}%`, `${done}/${numberOf(total)}`]),
    ...paceOf(state, now),
    ...(state.rejected > 0 ? [`rejected ${numberOf(state.rejected)}`] : []),
    ...(state.unknown > 0 ? [`unknown ${numberOf(state.unknown)}`] : [])
  ]
  // The last column stays free: some terminals wrap the line there.
  let text = parts[0] ?? ""
  for (const part of parts.slice(1)) {
    if (text.length + 2 + part.length >= width) break
    text += `  ${part}`
  }
  if (total === undefined || text.length + 1 + bar.length >= width)
    return text.slice(0, Math.max(0, width - 1))
  return canColor ? `\u001b[36m${bar}\u001b[0m ${text}` : `${bar} ${text}`
}

/** Takes constant time: a fast campaign has thousands of events per second. */
const addSample = (state: State, now: number): void => {
  const { samples } = state
  const [last] = samples.at(-1) ?? [-Infinity]
  if (now - last < sampleMillis) return
  samples.push([now, doneOf(state)])
  while (now - (samples[0]?.[0] ?? now) >= rateMillis) samples.shift()
}

const update = (state: State, event: CampaignEvent, now: number): void => {
  switch (event._tag) {
    case "Settled":
      state.sent += event.sent
      state.rejected += event.rejected
      state.unknown += event.unknown
      // Rows that only became pending again do not end an outage: its reason stays on the screen.
      if (event.sent + event.rejected + event.unknown > 0) delete state.waiting
      addSample(state, now)
      return
    case "Waiting":
    case "JournalLost":
      state.waiting = event
      return
    case "JournalBack":
      delete state.waiting
      return
    case "Loaded":
    case "Stopped":
    case "Ended":
  }
}

export interface Progress {
  readonly update: (event: CampaignEvent) => Effect.Effect<void>
}

/** Shows the line until the scope closes. A worker does not know how many rows there are in total. */
export const make = Effect.fnUntraced(function* (
  total: number | undefined,
  zone: DateTime.TimeZone
) {
  const started = yield* Clock.currentTimeMillis
  const state: State = { total, zone, sent: 0, rejected: 0, unknown: 0, samples: [[started, 0]] }
  yield* LiveLine.show(({ canColor, now, width }) => line(state, now, width, canColor))
  const progress: Progress = {
    update: (event) => Effect.map(Clock.currentTimeMillis, (now) => update(state, event, now))
  }
  return progress
})
