/**
 * The sections about what failed: its reasons by frequency, and the rows of unknown outcome with what a person
 * can do about them.
 */
import { counted, numberOf } from "@messaging-topup/command"
import { type Html, html, visible } from "@messaging-topup/sandbox/internal"
import * as DateTime from "effect/DateTime"
import { second } from "../words/LocalTime.ts"
import { sentenceOf } from "../words/ResultWords.ts"
import { tableOf } from "./Table.ts"
import type { Summary } from "./Summary.ts"
import { shellLine } from "../words/ShellLine.ts"

/** A longer list is collapsed. */
const maxOpen = 20

const choices = (campaign: string): Html => {
  const choice = (meaning: string, flag: string): Html =>
    html`<li>
      <span>${meaning}</span>
      <pre><code>${visible(shellLine("resolve", "--campaign", campaign, flag))}</code></pre>
    </li> `
  return html`<ol>
    ${choice("They went out", "--sent")}${choice("They did not go out: leave them", "--not-sent")}${choice("Send them again with the next run", "--resend")}
  </ol>`
}

const listOf = ({ counts, listed, zone }: Summary): Html => {
  const keys = tableOf({
    name: "keys",
    caption: `Time zone: ${DateTime.zoneToString(zone)}. The results of the file show to which row each key belongs.`,
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

/** Nothing if every outcome is known. */
export const unknownSection = (summary: Summary, campaign: string): Html | undefined => {
  if (summary.counts.unknown === 0) return undefined
  return html`<section aria-labelledby="unknown-outcomes">
    <h2 id="unknown-outcomes">Unknown outcomes</h2>
    <p>
      These messages may or may not have gone out: the response was lost, or did not say. Ask some
      of the recipients, or the support of the service, whether they arrived. Then decide:
    </p>
    ${choices(campaign)}
    <p class="soft">
      Each command decides about all of them. With the file and <code>--line</code>, it decides
      about some. Add <code>--journal</code> if the journal is not the default one.
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
