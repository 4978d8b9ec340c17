/**
 * The section with the reasons of rejected and unknown rows, by frequency.
 */
import * as Format from "../text/Format.ts"
import { sentenceOf } from "../text/Reason.ts"
import { type Html, html } from "./Html.ts"
import type { Summary } from "./Summary.ts"

const maxShown = 50

const rowOf = ({ count, reason, state }: Summary["reasons"][number]): Html =>
  html`<tr>
    <th scope="row"><bdi>${sentenceOf(reason)}</bdi></th>
    <td>${state}</td>
    <td class="number">${Format.numberOf(count)}</td>
  </tr> `

export const reasonsSection = ({ counts, reasons }: Summary): Html => {
  const total = counts.rejected + counts.unknown
  const hidden = reasons.slice(maxShown).reduce((sum, { count }) => sum + count, 0)
  const more = html`<p class="hint">
    ${Format.numberOf(hidden)} have other reasons: the results list each row.
  </p>`
  const table = html`<table data-table="reasons">
      <caption>
        The error of the last try, and the HTTP status of its response
      </caption>
      <thead>
        <tr>
          <th scope="col">Reason</th>
          <th scope="col">Outcome</th>
          <th scope="col" class="number">Messages</th>
        </tr>
      </thead>
      <tbody>
        ${reasons.slice(0, maxShown).map((reason) => rowOf(reason))}
      </tbody>
    </table>
    ${hidden === 0 ? undefined : more}`
  return html`<section class="card" aria-labelledby="reasons">
    <h2 id="reasons">Failures by reason</h2>
    ${total === 0 ? html`<p class="none">None.</p>` : table}
  </section>`
}
