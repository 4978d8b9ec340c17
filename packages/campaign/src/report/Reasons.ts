/**
 * Words and how often they come: a table whose rows carry their bars.
 */
import type { RowState } from "@messaging-topup/journal"
import * as Format from "./Format.ts"
import { type Html, html } from "./Html.ts"
import type { Tally } from "./Tally.ts"

const maxShown = 50

export interface Reasons {
  readonly id: string
  readonly caption: string
  readonly head: string
  readonly tone: RowState
  /** Stands for a row of which nothing was said. */
  readonly nothing: string
  readonly total: number
}

/** Nothing, if there is no row. */
export const reasonsTable = (
  tally: Tally,
  { caption, head, id, nothing, tone, total }: Reasons
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
      <td class="number">${Format.count(count)}</td>
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
      ${shown.map(({ count, word }) => row(word === undefined ? html`<em>${nothing}</em>` : html`<bdi>${word}</bdi>`, count))}${others === 0 ? undefined : row(html`<em>All others</em>`, others)}
    </tbody>
  </table>`
}
