/**
 * The section with the rows of unknown outcome, and what a person can do about them.
 */
import * as DateTime from "effect/DateTime"
import { commandLine } from "./CommandLine.ts"
import * as Format from "./Format.ts"
import { frequencyTable } from "./FrequencyTable.ts"
import { type Html, html, trusted } from "./Html.ts"
import { second } from "./LocalTime.ts"
import { section } from "./Section.ts"
import type { Summary, UnknownRow } from "./Summary.ts"

/** A longer list is collapsed. */
const maxOpen = 20

const line = (operation: string, campaign: string, ...flags: ReadonlyArray<string>): string =>
  commandLine(operation, "--campaign", campaign, ...flags)

const choices = (campaign: string): Html => {
  const choice = (meaning: string, decision: string): Html =>
    html`<li>
      <span>${meaning}</span>
      <pre><code>${line("resolve-unknown", campaign, "--as", decision)}</code></pre>
    </li> `
  return html`<ol class="choices">
    ${choice("They went out", "sent")}${choice("They did not go out: no resend", "rejected")}${choice("Send them once more, then resume", "resend")}
  </ol>`
}

const listRow = (
  { at, key, reason = "–", recipient }: UnknownRow,
  zone: DateTime.TimeZone
): Html => {
  const number = recipient === undefined ? undefined : html`<td>${recipient}</td>`
  return html`<tr>
    <th scope="row">${key}</th>
    ${number}
    <td>${reason}</td>
    <td>${second(at, zone)}</td>
  </tr>`
}

const listOf = (
  { counts, listed, zone }: Summary,
  campaign: string,
  showRecipients: boolean
): Html => {
  const hidden = counts.unknown - listed.length
  const more = html`<p class="hint">
    ${Format.numberOf(hidden)} more are not listed here.
    <code>${line("failures", campaign, "--csv")}</code> lists them all.
  </p>`
  const recipients = showRecipients ? html`<th scope="col">Recipient</th>` : undefined
  const open = listed.length <= maxOpen ? trusted(" open") : undefined
  return html`<details${open}>
      <summary>${hidden === 0 ? "" : "The first "}${Format.counted(listed.length, "key")}</summary>
      <table class="dense keys" data-table="keys">
        <caption>
          In the order in which the rows were loaded. Time zone: ${DateTime.zoneToString(zone)}.
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
          ${listed.map((row) => listRow(row, zone))}
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
  const reasons = frequencyTable(summary.unknown, {
    id: "unknown",
    caption: "Messages of unknown outcome by reason",
    head: "Reason",
    tone: "unknown",
    missing: "No reason was recorded",
    total
  })
  const leftOut = html`<p class="hint">
    Recipients are left out.
    <code>${line("report", campaign, "--open-recipients")}</code> adds them.
  </p>`
  const body = html`<p class="lead">
      These messages may or may not have gone out: the response was lost, or did not say. A message
      is resent only if a person decides so.
    </p>
    ${reasons}
    <h3>What to do</h3>
    <p class="lead">
      Ask some of the recipients, or the support of the service, whether the messages arrived. Then
      decide:
    </p>
    ${choices(campaign)}
    <p class="hint">
      Each command decides for all of them. <code>--key</code> selects one message, and may be
      repeated. Add <code>--journal</code> if the journal is not the default one.
    </p>
    <h3>Keys</h3>
    ${listOf(summary, campaign, showRecipients)} ${showRecipients ? undefined : leftOut}`
  const none = html`<p class="none">None: every message that was sent has a known outcome.</p>`
  return section("unknown-outcomes", "Unknown outcomes", total === 0 ? none : body)
}
