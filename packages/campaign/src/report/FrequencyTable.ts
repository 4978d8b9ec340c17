/**
 * A table of texts and their counts, with a bar in each row.
 */
import type { RowState } from "@messaging-topup/journal"
import * as Format from "./Format.ts"
import { type Html, html } from "./Html.ts"
import type { Tally } from "./Tally.ts"

const maxShown = 50

interface FrequencyTableOptions {
  readonly id: string
  readonly caption: string
  readonly head: string
  readonly tone: RowState
  /** The label for rows without a text. */
  readonly missing: string
  readonly total: number
}

export const frequencyTable = (
  tally: Tally,
  { caption, head, id, missing, tone, total }: FrequencyTableOptions
): Html => {
  const entries = tally.entries()
  const shown = entries.slice(0, maxShown)
  const hidden = entries.slice(maxShown)
  const others = hidden.reduce((sum, { count }) => sum + count, tally.others())
  const row = (name: Html, count: number): Html =>
    html`<tr>
      <th scope="row">
        ${name}<svg class="share-bar ${tone}" aria-hidden="true">
          <rect width="${((count / total) * 100).toFixed(2)}%" height="100%" rx="3" />
        </svg>
      </th>
      <td class="number">${Format.numberOf(count)}</td>
      <td class="number">${Format.share(count, total)}</td>
    </tr> `
  return html`<table data-table="${id}">
    <caption>
      ${caption}
    </caption>
    <thead>
      <tr>
        <th scope="col">${head}</th>
        <th scope="col" class="number">Messages</th>
        <th scope="col" class="number">Share</th>
      </tr>
    </thead>
    <tbody>
      ${shown.map(({ count, text }) => row(text === undefined ? html`<em>${missing}</em>` : html`<bdi>${text}</bdi>`, count))}${others === 0 ? undefined : row(html`<em>All others</em>`, others)}
    </tbody>
  </table>`
}
