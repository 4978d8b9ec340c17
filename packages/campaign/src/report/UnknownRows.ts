/**
 * The rows that may have gone out, and what a person can do about them.
 */
import { card } from "./Card.ts"
import * as Format from "./Format.ts"
import { type Html, html, trusted } from "./Html.ts"
import { reasonsTable } from "./Reasons.ts"
import type { Summary, UnknownRow } from "./Summary.ts"

/** A longer list is folded. */
const maxOpen = 20

/** As a shell of POSIX takes it. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

const line = (operation: string, campaign: string, flags: string): string =>
  `npx messaging-topup-campaign ${operation} --campaign ${quoted(campaign)} ${flags}`

const choices = (campaign: string): Html => {
  const choice = (meaning: string, decision: string): Html =>
    html`<li>
      <span>${meaning}</span>
      <pre><code>${line("resolve-unknown", campaign, `--as ${decision}`)}</code></pre>
    </li> `
  return html`<ol class="choices">
    ${choice("They went out", "accepted")}${choice("They did not, and stay so", "rejected")}${choice("Send them once more: then resume", "resend")}
  </ol>`
}

const listRow = ({ at, key, reason = "–", recipient }: UnknownRow): Html => {
  const number = recipient === undefined ? undefined : html`<td>${recipient}</td>`
  return html`<tr>
    <th scope="row">${key}</th>
    ${number}
    <td>${reason}</td>
    <td>${Format.second(at)}</td>
  </tr>`
}

const listOf = ({ counts, listed }: Summary, campaign: string, showRecipients: boolean): Html => {
  const hidden = counts.unknown - listed.length
  const more = html`<p class="hint">
    ${Format.count(hidden)} more are not listed here.
    <code>${line("failures", campaign, "--csv")}</code> lists them all.
  </p>`
  const recipients = showRecipients ? html`<th scope="col">Recipient</th>` : undefined
  const open = listed.length <= maxOpen ? trusted(" open") : undefined
  return html`<details${open}>
      <summary>${hidden === 0 ? "" : "The first "}${Format.counted(listed.length, "key")}</summary>
      <table class="dense keys" data-table="keys">
        <caption>
          In the order in which they were loaded. Times are UTC.
        </caption>
        <thead>
          <tr>
            <th scope="col">Key</th>
            ${recipients}
            <th scope="col">Reason</th>
            <th scope="col">At</th>
          </tr>
        </thead>
        <tbody>
          ${listed.map(listRow)}
        </tbody>
      </table>
    </details>
    ${hidden === 0 ? undefined : more}`
}

export const unknownSection = (
  summary: Summary,
  campaign: string,
  showRecipients: boolean
): Html => {
  const total = summary.counts.unknown
  const reasons = reasonsTable(summary.unknown, {
    id: "unknown",
    caption: "Messages of unknown outcome by reason",
    head: "Reason",
    tone: "unknown",
    nothing: "None was written down: the sender stopped while the request was under way",
    total
  })
  const leftOut = html`<p class="hint">
    Recipients are left out.
    <code>${line("report", campaign, "--open-recipients")}</code> adds them.
  </p>`
  const body = html`<p class="lead">
      Nobody knows whether these went out: the response was lost, or did not tell. None is sent
      again unless a person says so.
    </p>
    ${reasons}
    <h3>What to do</h3>
    <p class="lead">
      Ask some of the recipients, or whoever runs the service, whether the messages arrived. Then
      decide:
    </p>
    ${choices(campaign)}
    <p class="hint">
      That is for all of them: <code>--key</code> names one, and may be repeated.
      <code>--journal</code>
      names the journal, unless it is the default one.
    </p>
    <h3>Keys</h3>
    ${listOf(summary, campaign, showRecipients)} ${showRecipients ? undefined : leftOut}`
  const none = html`<p class="none">None: every message that was sent has a known outcome.</p>`
  return card("unknown-outcomes", "Unknown outcomes", total === 0 ? none : body)
}
