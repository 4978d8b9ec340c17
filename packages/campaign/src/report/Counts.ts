/**
 * The section with the number of rows in each state.
 */
import type { RowState } from "@messaging-topup/journal"
import { capitalize } from "effect/String"
import * as Format from "./Format.ts"
import { type Html, html } from "./Html.ts"
import { stateIcon } from "./StateIcon.ts"
import type { Summary } from "./Summary.ts"

const states = [
  "sent",
  "rejected",
  "unknown",
  "attempting",
  "pending"
] as const satisfies ReadonlyArray<RowState>

const meanings: Readonly<Record<RowState, string>> = {
  sent: "accepted by the service",
  rejected: "did not go out",
  unknown: "may have gone out",
  attempting: "request in flight",
  pending: "not sent yet"
}

/** The minimum width, so that a few rows among very many are visible. */
const minPercent = 0.6

const bar = ({ counts, total }: Summary): Html => {
  const shown = states.filter((state) => counts[state] > 0)
  const widths = shown.map((state) => Math.max((counts[state] / total) * 100, minPercent))
  const whole = widths.reduce((sum, width) => sum + width, 0)
  const labels = shown.map((state) => `${state} ${Format.share(counts[state], total)}`)
  let x = 0
  const rects = shown.map((state, index) => {
    const width = ((widths[index] ?? 0) / whole) * 100
    const rect = html`<rect
      class="${state}"
      x="${x.toFixed(2)}%"
      width="${width.toFixed(2)}%"
      height="100%"
    />`
    x += width
    return rect
  })
  return html`<svg
    class="whole-bar"
    role="img"
    aria-label="Outcomes: ${labels.length === 0 ? "none" : labels.join(", ")}"
  >
    ${rects}
  </svg>`
}

export const countsSection = (summary: Summary): Html => {
  const { sentSegments, counts, segments, total } = summary
  const tiles = states.map(
    (state) =>
      html`<div>
        <dt>${stateIcon(state)}${capitalize(state)}</dt>
        <dd>
          <span data-count="${state}">${Format.numberOf(counts[state])}</span>
          <small>${Format.share(counts[state], total)}<br />${meanings[state]}</small>
        </dd>
      </div> `
  )
  return html`<section class="card" aria-labelledby="outcomes">
    <div class="whole">
      <h2 id="outcomes">
        <strong data-count="total">${Format.numberOf(total)}</strong>
        ${total === 1 ? "message" : "messages"}
      </h2>
      <p class="hint">
        <span data-count="segments">${Format.numberOf(segments)}</span> segments,
        <span data-count="sent-segments">${Format.numberOf(sentSegments)}</span> of them sent;
        computed from the texts
      </p>
    </div>
    ${bar(summary)}
    <dl class="counts">${tiles}</dl>
  </section>`
}
