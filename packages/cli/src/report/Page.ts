/** A report as one page of HTML, which makes no network request and runs no script. */
import { numberOf } from "@messaging-topup/command"
import { wordOf } from "@messaging-topup/journal/internal"
import { Html, html, visible } from "@messaging-topup/sandbox/internal"
import { createHash } from "node:crypto"
import * as LocalTime from "../words/LocalTime.ts"
import { reasonsSection, timeSection, unknownSection } from "./Sections.ts"
import { style } from "./Style.ts"
import { type ShownState, shownStates, type Summary } from "./Summary.ts"

interface Contents {
  readonly campaign: string
  readonly madeAt: number
  /** What names the journal in the commands. */
  readonly inJournal: ReadonlyArray<string>
  readonly summary: Summary
}

const styleHash = createHash("sha256").update(style).digest("base64")

const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'`

const meanings: Readonly<Record<ShownState, string>> = {
  sent: "accepted by the service, or a person decided so",
  rejected: "refused by the service",
  unknown: "may have gone out",
  closed: "a person decided: not sent",
  freed: "a person decided: sent by the next run with its row",
  "in-flight": "request in flight",
  waiting: "not in the journal",
  repeated: "not sent: the recipient got another SMS, or may have"
}

/** The word for a state, as a title. */
const nameOf = (state: ShownState): string => {
  const word = state === "repeated" ? state : wordOf(state === "waiting" ? undefined : state)
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** Shows 0% only for none, and 100% only for all. */
const share = (part: number, whole: number): string => {
  if (part === 0 || part === whole) return part === 0 ? "0%" : "100%"
  const percent = (part / whole) * 100
  if (percent < 0.1) return "<0.1%"
  return percent > 99.9 ? ">99.9%" : `${percent.toFixed(1)}%`
}

/** How many rows of the file wait for a correction, or are excluded. */
const notSent = (what: string, count: number, why: string): Html | undefined =>
  count === 0
    ? undefined
    : html`<span data-count="${what}">${numberOf(count)}</span> more ${count === 1 ? "row" : "rows"}
        of the file ${why}.`

const header = ({ campaign, madeAt, summary: { file, gone, zone } }: Contents): Html =>
  html`<header>
    <h1><bdi>${visible(campaign)}</bdi></h1>
    <p class="soft">
      Campaign report of
      <time datetime="${LocalTime.utc(madeAt)}">${LocalTime.second(madeAt, zone)}</time>.
      ${
        file === undefined
          ? "Messages of rows that were changed or removed count, too. Rows that were not sent yet are known only with the file."
          : html`${notSent("impossible", file.impossible, "cannot be sent; the results say why")}
            ${notSent("excluded", file.excluded, `${file.excluded === 1 ? "is" : "are"} excluded by the stop list`)}`
      }
      ${
        gone === 0
          ? undefined
          : html`<span data-count="gone">${numberOf(gone)}</span> of the messages are those of rows
              that are no longer in the file, because they were changed or removed.`
      }
    </p>
  </header>`

/** Unusual states have a tile only if there are rows in them. */
const isAlwaysShown: ReadonlySet<ShownState> = new Set(["sent", "rejected", "unknown"])

const countsSection = (summary: Summary): Html => {
  const { counts, total } = summary
  const tiles = shownStates
    .filter((state) => isAlwaysShown.has(state) || counts[state] > 0)
    .map(
      (state) =>
        html`<div>
          <dt class="${state}">${nameOf(state)}</dt>
          <dd>
            <span data-count="${state}">${numberOf(counts[state])}</span>
            <small>${share(counts[state], total)}<br />${meanings[state]}</small>
          </dd>
        </div> `
    )
  return html`<section aria-labelledby="outcomes">
    <h2 id="outcomes">
      <strong data-count="total">${numberOf(total)}</strong>
      ${total === 1 ? "message" : "messages"}
    </h2>
    <dl class="counts">${tiles}</dl>
  </section>`
}

export const page = (contents: Contents): string => {
  const { campaign, inJournal, summary } = contents
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${visible(campaign)} – campaign report</title>
        ${new Html({ text: `<style>${style}</style>` })}
      </head>
      <body>
        ${header(contents)}
        <main>
          ${countsSection(summary)} ${timeSection(summary)} ${reasonsSection(summary)}
          ${unknownSection(summary, ["--campaign", campaign, ...inJournal])}
        </main>
        <footer>
          <p class="soft">
            This page has no phone number and no message text. It makes no network request. Keys and
            reasons are shown as they were given.
          </p>
        </footer>
      </body>
    </html> `.text
}
