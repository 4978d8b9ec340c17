/**
 * A report as one page of HTML, which makes no network request and runs no script.
 */
import type { CampaignState } from "@messaging-topup/journal"
import { createHash } from "node:crypto"
import { shownState } from "../rows/State.ts"
import { countsSection } from "./Counts.ts"
import * as Format from "./Format.ts"
import { frequencyTable } from "./FrequencyTable.ts"
import { type Html, html, render, trusted } from "./Html.ts"
import * as LocalTime from "./LocalTime.ts"
import { section } from "./Section.ts"
import { iconSymbols, stateIcon } from "./StateIcon.ts"
import { style } from "./Style.ts"
import type { Summary } from "./Summary.ts"
import { timeSection } from "./TimePlot.ts"
import { unknownSection } from "./UnknownRows.ts"

interface Contents {
  readonly campaign: string
  readonly state: CampaignState
  readonly madeAt: number
  readonly showRecipients: boolean
  readonly summary: Summary
}

const styleHash = createHash("sha256").update(style).digest("base64")

const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'`

const progress = ({ counts }: Summary): string => {
  const open = counts.pending + counts.attempting
  return open === 0
    ? "every message has an outcome"
    : `${Format.counted(open, "message")} without an outcome yet`
}

const header = ({ campaign, madeAt, state, summary }: Contents): Html => {
  const shown = shownState(state, summary.counts)
  return html`<header>
    <p class="eyebrow">Campaign report</p>
    <h1><bdi>${campaign}</bdi></h1>
    <p class="about">
      <span class="badge" data-state="${shown}">${shown}</span><span>${progress(summary)}</span
      ><span
        >Made on
        <time datetime="${LocalTime.utc(madeAt)}"
          >${LocalTime.date(madeAt, summary.zone)}</time
        ></span
      >
    </p>
  </header>`
}

const notice = ({ counts: { unknown } }: Summary): Html | undefined =>
  unknown === 0
    ? undefined
    : html`<section class="notice" aria-label="A person must decide">
        ${stateIcon("unknown")}
        <p>
          <strong>${Format.counted(unknown, "message")} may or may not have gone out.</strong> A
          person must decide about ${unknown === 1 ? "it" : "them"}.
          <a href="#unknown-outcomes">What to do</a>
        </p>
      </section>`

const failures = ({ counts, rejected }: Summary): Html =>
  section(
    "failures",
    "Failures",
    counts.rejected === 0
      ? html`<p class="none">No message was rejected.</p>`
      : frequencyTable(rejected, {
          id: "rejected",
          caption: "Rejected messages by reason",
          head: "Reason",
          tone: "rejected",
          missing: "No reason was recorded",
          total: counts.rejected
        })
  )

const statuses = ({ counts, statuses: tally }: Summary): Html =>
  section(
    "statuses",
    "Statuses of the service",
    counts.sent === 0
      ? html`<p class="none">No message was sent yet.</p>`
      : frequencyTable(tally, {
          id: "statuses",
          caption: "Sent messages by the last status that was read, in the service’s own text",
          head: "Status",
          tone: "sent",
          missing: "No status was read",
          total: counts.sent
        })
  )

const footer = (showRecipients: boolean): Html =>
  html`<footer>
    <p>
      ${
        showRecipients
          ? "This page has the phone numbers of messages of unknown outcome: do not share it. It has no message text."
          : "This page has no phone number and no message text, except in keys that contain one."
      }
      It makes no network request. Keys, reasons and statuses are shown as they were given.
    </p>
  </footer>`

export const page = (contents: Contents): string => {
  const { campaign, showRecipients, summary } = contents
  return render(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta http-equiv="Content-Security-Policy" content="${policy}" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="referrer" content="no-referrer" />
          <meta name="robots" content="noindex" />
          <title>${campaign} – campaign report</title>
          ${trusted(`<style>${style}</style>`)}
        </head>
        <body>
          ${iconSymbols} ${header(contents)}
          <main>
            ${notice(summary)} ${countsSection(summary)} ${timeSection(summary)}
            <div class="pair">${failures(summary)}${statuses(summary)}</div>
            ${unknownSection(summary, campaign, showRecipients)}
          </main>
          ${footer(showRecipients)}
        </body>
      </html> `
  )
}
