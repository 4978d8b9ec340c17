/**
 * The section with the rows of unknown outcome, and what a person can do about them.
 */
import * as DateTime from "effect/DateTime"
import { commandLine } from "../text/CommandLine.ts"
import * as Format from "../text/Format.ts"
import { second } from "../text/LocalTime.ts"
import { sentenceOf } from "../text/Reason.ts"
import { type Html, html, trusted } from "./Html.ts"
import type { Summary } from "./Summary.ts"

/** A longer list is collapsed. */
const maxOpen = 20

const choices = (campaign: string): Html => {
  const choice = (meaning: string, flag: string): Html =>
    html`<li>
      <span>${meaning}</span>
      <pre><code>${commandLine("resolve", "--campaign", campaign, flag)}</code></pre>
    </li> `
  return html`<ol class="choices">
    ${choice("They went out", "--sent")}${choice("They did not go out: leave them", "--not-sent")}${choice("Send them again with the next run", "--resend")}
  </ol>`
}

const listOf = ({ counts, listed, zone }: Summary): Html => {
  const hidden = counts.unknown - listed.length
  const rows = listed.map(
    ({ claimedAt, key, reason, settledAt = claimedAt }) =>
      html`<tr>
        <th scope="row">${key}</th>
        <td>${sentenceOf(reason)}</td>
        <td>${second(settledAt, zone)}</td>
      </tr>`
  )
  return html`<details${listed.length <= maxOpen ? trusted(" open") : undefined}>
    <summary>${hidden === 0 ? "" : "The first "}${Format.counted(listed.length, "key")}</summary>
    <table class="dense keys" data-table="keys">
      <caption>
        Time zone: ${DateTime.zoneToString(zone)}. The results of the file show to which row each key
        belongs.
      </caption>
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col">Reason</th>
          <th scope="col">At</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </details>`
}

/** Nothing if every outcome is known. */
export const unknownSection = (summary: Summary, campaign: string): Html | undefined => {
  if (summary.counts.unknown === 0) return undefined
  return html`<section class="card" aria-labelledby="unknown-outcomes">
    <h2 id="unknown-outcomes">Unknown outcomes</h2>
    <p class="lead">
      These messages may or may not have gone out: the response was lost, or did not say. Ask some
      of the recipients, or the support of the service, whether they arrived. Then decide:
    </p>
    ${choices(campaign)}
    <p class="hint">
      Each command decides about all of them. With the file and <code>--line</code>, it decides
      about some. Add <code>--journal</code> if the journal is not the default one.
    </p>
    ${listOf(summary)}
  </section>`
}
