/**
 * The plot of sends over time: three rows of bars above one axis. Each row has a separate scale, so that
 * a few failures among a million sends are visible. Horizontal positions are percentages, so the plot
 * fits any width without a script.
 */
import { scaleLinear, scaleUtc } from "d3-scale"
import * as DateTime from "effect/DateTime"
import { capitalize } from "effect/String"
import * as Format from "./Format.ts"
import { type Html, html } from "./Html.ts"
import { momentOf, offsetOf, range, second } from "./LocalTime.ts"
import { section } from "./Section.ts"
import type { Summary } from "./Summary.ts"
import { type Bucket, type SettledState, settledStates, type TimeView } from "./Timeline.ts"

interface Panel {
  readonly outcome: SettledState
  /** The top of its bars, in pixels. */
  readonly top: number
  readonly height: number
}

const panels: ReadonlyArray<Panel> = [
  { outcome: "sent", top: 72, height: 136 },
  { outcome: "rejected", top: 256, height: 54 },
  { outcome: "unknown", top: 358, height: 54 }
]

const bottom = 412
const hour = 3_600_000

const percent = (value: number): string => `${Number(value.toFixed(3))}%`

const barsOf = (values: ReadonlyArray<number>, top: number): string =>
  values
    .map((value, index) =>
      value === 0
        ? ""
        : // The minimum height, so that a small count is visible.
          `M${index + 0.1} 100v-${Number(Math.max((value / top) * 100, 2).toFixed(1))}h.8V100z`
    )
    .join("")

const panelOf = ({ buckets }: TimeView, { height, outcome, top }: Panel, total: number): Html => {
  const values = buckets.map((bucket) => bucket[outcome])
  const scale = scaleLinear([0, Math.max(...values, 1)], [top + height, top]).nice(2)
  const [, highest = 1] = scale.domain()
  const ticks = total === 0 ? [0] : scale.ticks(outcome === "sent" ? 4 : 2)
  const lines = ticks
    .filter((tick) => Number.isInteger(tick))
    .map((tick) => {
      const y = scale(tick)
      return html`<line
          class="${tick === 0 ? "base" : "grid"}"
          x1="0"
          x2="100%"
          y1="${y}"
          y2="${y}"
        /><text class="end" x="-8" y="${y + 4}">${Format.short(tick)}</text>`
    })
  return html`<g class="${outcome}"
    ><text class="name" x="22" y="${top - 16}"
      >${capitalize(outcome)} <tspan>${Format.numberOf(total)}</tspan></text
    >
    <svg class="icon ${outcome}" x="0" y="${top - 29}" width="16" height="16">
      <use href="#${outcome}" />
    </svg>
    ${lines}
    <svg
      y="${top}"
      width="100%"
      height="${height}"
      viewBox="0 0 ${values.length} 100"
      preserveAspectRatio="none"
    >
      <path class="bars" d="${barsOf(values, highest)}" /></svg
  ></g> `
}

const axisOf = (view: TimeView, zone: DateTime.TimeZone): Html => {
  const end = view.from + view.widthMillis * view.buckets.length
  const scale = scaleLinear([view.from, end], [0, 100])
  // The ticks are at full hours and days of the zone's clocks. The scale treats these as if they were UTC.
  const offset = offsetOf(view.from, zone)
  const clocks = scaleUtc([view.from + offset, end + offset], [0, 100])
  const clock = clocks.tickFormat(6, view.widthMillis < 5_000 ? "%H:%M:%S" : "%H:%M")
  const day = clocks.tickFormat(6, "%-d %b")
  const ticks = clocks.ticks(6).map((tick, index) => {
    const shown = tick.getTime()
    const isDay = shown % (24 * hour) === 0
    // Within a day, ticks stay even when the clocks change, and their labels change.
    const at = isDay ? momentOf(shown, zone) : shown - offset
    const x = scale(at)
    const anchor = x < 3 ? "" : x > 97 ? "end" : "middle"
    return html`<g class="${index % 2 === 0 ? "" : "wide"}"
      ><line
        class="base"
        x1="${percent(x)}"
        x2="${percent(x)}"
        y1="${bottom}"
        y2="${bottom + 5}"
      /><text class="${anchor}" x="${percent(x)}" y="${bottom + 20}"
        >${isDay ? day(tick) : clock(DateTime.toDateUtc(DateTime.makeUnsafe(at + offsetOf(at, zone))))}</text
      ></g
    >`
  })
  return html`${ticks}`
}

const figures = (bucket: Bucket): string =>
  settledStates.map((outcome) => `${outcome} ${Format.numberOf(bucket[outcome])}`).join(" · ")

const bucketsOf = ({ buckets, from, widthMillis }: TimeView, zone: DateTime.TimeZone): Html => {
  const width = 100 / buckets.length
  const groups = buckets.map(
    (bucket, index) =>
      html`<g class="bucket"
        ><use href="#span" x="${percent(index * width)}" /><text class="when" y="12"
          >${second(from + index * widthMillis, zone)}</text
        ><text y="29">${figures(bucket)}</text></g
      >`
  )
  return html`<defs
      ><rect id="span" width="${percent(width)}" y="36" height="${bottom - 36}"
    /></defs>
    ${groups}`
}

const tableOf = ({ buckets, from, widthMillis }: TimeView, zone: DateTime.TimeZone): Html => {
  const rows = buckets.flatMap((bucket, index) => {
    if (settledStates.every((outcome) => bucket[outcome] === 0)) return []
    const at = from + index * widthMillis
    const cells = settledStates.map((outcome) => html`<td>${Format.numberOf(bucket[outcome])}</td>`)
    return [
      html`<tr>
        <th scope="row">${second(at, zone)}</th>
        ${cells}
      </tr>`
    ]
  })
  const heads = settledStates.map((outcome) => html`<th scope="col">${capitalize(outcome)}</th>`)
  return html`<details>
    <summary>The same as a table</summary>
    <table class="dense figures" data-table="time">
      <caption>
        Messages by outcome for each ${Format.width(widthMillis)}, without empty rows. Time zone:
        ${DateTime.zoneToString(zone)}.
      </caption>
      <thead>
        <tr>
          <th scope="col">From</th>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </details>`
}

const leftOut = (count: number, why: string): Html | undefined =>
  count === 0
    ? undefined
    : html`<p class="hint">Not in the plot: ${Format.counted(count, "message")} ${why}.</p>`

const notesOf = ({ cancelled }: Summary, { outside }: TimeView): Html =>
  html`${leftOut(outside, "whose outcome came long before or after the others")}
  ${leftOut(cancelled, "cancelled before being sent")}`

const plotOf = (view: TimeView, shownRange: string, zone: DateTime.TimeZone): Html => {
  const total = (outcome: SettledState): number =>
    view.buckets.reduce((sum, bucket) => sum + bucket[outcome], 0)
  const each = Format.width(view.widthMillis)
  const totals = settledStates
    .map((outcome) => `${Format.numberOf(total(outcome))} ${outcome}`)
    .join(", ")
  const label = `Bars of messages for each ${each}. ${shownRange}: ${totals}. The table below has the figures.`
  return html`<svg class="plot" role="img" aria-label="${label}">
    <text class="idle" y="12">
      Messages for each ${each}, time zone ${DateTime.zoneToString(zone)}
    </text>
    ${panels.map((panel) => panelOf(view, panel, total(panel.outcome)))}
    ${axisOf(view, zone)}${bucketsOf(view, zone)}
  </svg>`
}

export const timeSection = (summary: Summary): Html => {
  const { time, zone } = summary
  const body = (view: TimeView): Html => {
    const shown = range(view.first, view.last, zone)
    return html`<p class="lead">${shown}, by the time when each outcome became known.</p>
      ${plotOf(view, shown, zone)}${notesOf(summary, view)}${tableOf(view, zone)}`
  }
  const none = html`<p class="none">Nothing was sent yet.</p>`
  return section("time", "Sends over time", time === undefined ? none : body(time))
}
