/**
 * The sections of a report about what happened: outcomes over time, failures by reason, and the rows of unknown outcome
 * with what a person can do about them.
 */
import { counted, numberOf } from "@messaging-topup/command"
import { type Html, html, type Value, visible } from "@messaging-topup/sandbox/internal"
import * as DateTime from "effect/DateTime"
import { capitalize } from "effect/String"
import { second } from "../words/LocalTime.ts"
import { sentenceOf } from "../words/ResultWords.ts"
import { shellLine } from "../words/ShellLine.ts"
import { type Outcome, outcomes, type Step, type Summary, type Timeline } from "./Summary.ts"

interface Table {
  readonly name: string
  readonly caption: Value
  readonly heads: ReadonlyArray<string>
  /** The cells of each row, of which the first is its head. */
  readonly rows: ReadonlyArray<ReadonlyArray<Value>>
}

const rowOf = ([head, ...cells]: ReadonlyArray<Value>): Html =>
  html`<tr>
    <th scope="row">${head}</th>
    ${cells.map((cell) => html`<td>${cell}</td>`)}
  </tr>`

const tableOf = ({ caption, heads, name, rows }: Table): Html =>
  html`<table data-table="${name}">
    <caption>
      ${caption}
    </caption>
    <thead>
      <tr>
        ${heads.map((head) => html`<th scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(rowOf)}
    </tbody>
  </table>`

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

/** A longer list is collapsed. */
const maxOpen = 20

const choices = (chosen: ReadonlyArray<string>): Html => {
  const choice = (meaning: string, flag: string): Html =>
    html`<li>
      <span>${meaning}</span>
      <pre><code>${visible(shellLine("resolve", ...chosen, flag))}</code></pre>
    </li> `
  return html`<ol>
    ${choice("They went out", "--sent")}${choice("They did not go out: leave them", "--not-sent")}${choice("Send them again by the next run with their rows", "--resend")}
  </ol>`
}

const listOf = ({ counts, listed, zone }: Summary): Html => {
  const keys = tableOf({
    name: "keys",
    caption: `Time zone: ${DateTime.zoneToString(zone)}. The results of the file show which rows are unknown; sends --unknown --to NUMBER finds one that is no longer in it.`,
    heads: ["Key", "Reason", "At"],
    rows: listed.map(({ claimedAt, key, reason, settledAt = claimedAt }) => [
      visible(key),
      visible(sentenceOf(reason)),
      second(settledAt, zone)
    ])
  })
  return html`<details${listed.length <= maxOpen ? html` open` : undefined}>
    <summary>${listed.length < counts.unknown ? "The first " : ""}${counted(listed.length, "key")}</summary>
    ${keys}
  </details>`
}

/** Nothing if every outcome is known. `chosen` names the campaign and its journal. */
export const unknownSection = (
  summary: Summary,
  chosen: ReadonlyArray<string>
): Html | undefined => {
  if (summary.counts.unknown === 0) return undefined
  return html`<section aria-labelledby="unknown-outcomes">
    <h2 id="unknown-outcomes">Unknown outcomes</h2>
    <p>
      These messages may or may not have gone out: the response was lost, or did not say. Ask some
      of the recipients, or the support of the service, whether they arrived. Then decide:
    </p>
    ${choices(chosen)}
    <p class="soft">
      Each command decides about all of them. With the file and <code>--line</code>, it decides
      about some. Give it where this page was made, because it is about the journal there.
    </p>
    ${listOf(summary)}
  </section>`
}

const maxReasons = 50

/** Nothing if nothing failed. */
export const reasonsSection = ({ reasons }: Summary): Html | undefined => {
  if (reasons.length === 0) return undefined
  const table = tableOf({
    name: "reasons",
    caption: `The error of the last attempt, and the HTTP status of its response: the ${maxReasons} most frequent`,
    heads: ["Reason", "Outcome", "Messages"],
    rows: reasons
      .slice(0, maxReasons)
      .map(({ count, reason, state }) => [
        html`<bdi>${visible(sentenceOf(reason))}</bdi>`,
        state,
        numberOf(count)
      ])
  })
  return html`<section aria-labelledby="reasons">
    <h2 id="reasons">Failures by reason</h2>
    ${table}
  </section>`
}
