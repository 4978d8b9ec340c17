/**
 * The plot of sends over time: three rows of bars above one axis. Each row has a separate scale, so that
 * a few failures among a million sends are visible. Horizontal positions are percentages, so the plot
 * fits any width without a script.
 */
import { scaleLinear, scaleUtc } from "d3-scale"
import * as Format from "./Format.ts"
import { type Html, html } from "./Html.ts"
import { section } from "./Section.ts"
import { nameOf } from "./StateIcon.ts"
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
      >${nameOf(outcome)} <tspan>${Format.count(total)}</tspan></text
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

const axisOf = (view: TimeView): Html => {
  const end = view.from + view.widthMillis * view.buckets.length
  const scale = scaleUtc([view.from, end], [0, 100])
  const clock = scale.tickFormat(6, view.widthMillis < 5_000 ? "%H:%M:%S" : "%H:%M")
  const day = scale.tickFormat(6, "%-d %b")
  const ticks = scale.ticks(6).map((tick, index) => {
    const x = scale(tick)
    const isDay = tick.getTime() % (24 * hour) === 0
    const anchor = x < 3 ? "" : x > 97 ? "end" : "middle"
    return html`<g class="${index % 2 === 0 ? "" : "wide"}"
      ><line
        class="base"
        x1="${percent(x)}"
        x2="${percent(x)}"
        y1="${bottom}"
        y2="${bottom + 5}"
      /><text class="${anchor}" x="${percent(x)}" y="${bottom + 20}"
        >${isDay ? day(tick) : clock(tick)}</text
      ></g
    >`
  })
  return html`${ticks}`
}

const figures = (bucket: Bucket): string =>
  settledStates.map((outcome) => `${outcome} ${Format.count(bucket[outcome])}`).join(" · ")

const bucketsOf = ({ buckets, from, widthMillis }: TimeView): Html => {
  const width = 100 / buckets.length
  const groups = buckets.map(
    (bucket, index) =>
      html`<g class="bucket"
        ><use href="#span" x="${percent(index * width)}" /><text class="when" y="12"
          >${Format.second(from + index * widthMillis)}</text
        ><text y="29">${figures(bucket)}</text></g
      >`
  )
  return html`<defs
      ><rect id="span" width="${percent(width)}" y="36" height="${bottom - 36}"
    /></defs>
    ${groups}`
}

const tableOf = ({ buckets, from, widthMillis }: TimeView): Html => {
  const rows = buckets.flatMap((bucket, index) => {
    if (settledStates.every((outcome) => bucket[outcome] === 0)) return []
    const at = from + index * widthMillis
    const cells = settledStates.map((outcome) => html`<td>${Format.count(bucket[outcome])}</td>`)
    return [
      html`<tr>
        <th scope="row">${Format.second(at)}</th>
        ${cells}
      </tr>`
    ]
  })
  const heads = settledStates.map((outcome) => html`<th scope="col">${nameOf(outcome)}</th>`)
  return html`<details>
    <summary>The same as a table</summary>
    <table class="dense figures" data-table="time">
      <caption>
        Messages by outcome for each ${Format.width(widthMillis)}, without empty rows. Times are
        UTC.
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

const plotOf = (view: TimeView, range: string): Html => {
  const total = (outcome: SettledState): number =>
    view.buckets.reduce((sum, bucket) => sum + bucket[outcome], 0)
  const each = Format.width(view.widthMillis)
  const totals = settledStates
    .map((outcome) => `${Format.count(total(outcome))} ${outcome}`)
    .join(", ")
  const label = `Bars of messages for each ${each}. ${range}: ${totals}. The table below has the figures.`
  return html`<svg class="plot" role="img" aria-label="${label}">
    <text class="idle" y="12">Messages for each ${each}, by UTC</text>
    ${panels.map((panel) => panelOf(view, panel, total(panel.outcome)))}
    ${axisOf(view)}${bucketsOf(view)}
  </svg>`
}

export const timeSection = (summary: Summary): Html => {
  const { time } = summary
  const body = (view: TimeView): Html => {
    const range = `${Format.range(view.first, view.last)} UTC`
    return html`<p class="lead">${range}, by the time when each outcome became known.</p>
      ${plotOf(view, range)}${notesOf(summary, view)}${tableOf(view)}`
  }
  const none = html`<p class="none">Nothing was sent yet.</p>`
  return section("time", "Sends over time", time === undefined ? none : body(time))
}
