/**
 * The plot of outcomes over time: bars in three colours, one upon the other. Its positions are shares of the
 * whole, so it fits any width without a script. The table below it has the figures.
 */
import { numberOf } from "@messaging-topup/command"
import { type Html, html } from "@messaging-topup/sandbox/internal"
import * as DateTime from "effect/DateTime"
import { capitalize } from "effect/String"
import { second } from "../words/LocalTime.ts"
import { tableOf } from "./Table.ts"
import { type Outcome, outcomes, type Step, type Summary, type Timeline } from "./Summary.ts"

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000]
] as const

/** The width of a bucket: `second`, `5 minutes`. */
const widthText = (millis: number): string => {
  const [unit, size] = units.find(([, each]) => millis % each === 0) ?? units[3]
  const value = millis / size
  return value === 1 ? unit : `${value} ${unit}s`
}

const sizeOf = (step: Step): number => outcomes.reduce((sum, outcome) => sum + step[outcome], 0)

/** A few failures among very many sends are visible. */
const minHeight = 1.5

/** The height of a bar, in percent of the highest one. */
const heightOf = (step: Step, outcome: Outcome, highest: number): number =>
  step[outcome] === 0 ? 0 : Math.max((step[outcome] / highest) * 100, minHeight)

const short = (value: number): string => String(Number(value.toFixed(2)))

/** The bars of one outcome, above those of the outcomes before it. */
const barsOf = (timeline: Timeline, outcome: Outcome, highest: number): Html => {
  const { steps, widthMillis } = timeline
  const start = steps[0]?.at ?? 0
  const below = outcomes.slice(0, outcomes.indexOf(outcome))
  const bars = steps
    .filter((step) => step[outcome] > 0)
    .map((step) => {
      const index = Math.round((step.at - start) / widthMillis)
      const base = below.reduce((sum, each) => sum + heightOf(step, each, highest), 0)
      const height = heightOf(step, outcome, highest)
      return `M${short(index + 0.1)} ${short(100 - base)}v-${short(height)}h.8v${short(height)}z`
    })
  return html`<path class="${outcome}" d="${bars.join("")}" />`
}

const figuresOf = ({ steps, widthMillis }: Timeline, zone: DateTime.TimeZone): Html =>
  tableOf({
    name: "time",
    caption: `Messages by outcome for each ${widthText(widthMillis)}, without empty rows. Time zone: ${DateTime.zoneToString(zone)}.`,
    heads: ["From", ...outcomes.map(capitalize)],
    rows: steps.map((step) => [
      second(step.at, zone),
      ...outcomes.map((outcome) => numberOf(step[outcome]))
    ])
  })

/** Nothing if no row has an outcome yet. */
export const timeSection = ({ timeline, zone }: Summary): Html | undefined => {
  if (timeline === undefined) return undefined
  const { first, last, steps, widthMillis } = timeline
  const highest = Math.max(...steps.map(sizeOf))
  const start = steps[0]?.at ?? 0
  const count = Math.round(((steps.at(-1)?.at ?? 0) - start) / widthMillis) + 1
  const each = widthText(widthMillis)
  const shown = `${second(first, zone)} to ${second(last, zone)}`
  return html`<section aria-labelledby="time">
    <h2 id="time">Outcomes over time</h2>
    <p class="soft">
      ${shown}, for each ${each}, by the time when each outcome became known. At most
      ${numberOf(highest)} for each ${each}.
    </p>
    <svg
      class="plot"
      role="img"
      aria-label="Bars of outcomes for each ${each}, ${shown}. The table below has the figures."
      viewBox="0 0 ${count} 100"
      preserveAspectRatio="none"
    >
      ${outcomes.map((outcome) => barsOf(timeline, outcome, highest))}
    </svg>
    <p class="axis soft">
      <span>${second(start, zone)}</span><span>${second(start + count * widthMillis, zone)}</span>
    </p>
    <details>
      <summary>The same as a table</summary>
      ${figuresOf(timeline, zone)}
    </details>
  </section>`
}
