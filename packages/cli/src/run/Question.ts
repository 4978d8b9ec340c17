/** What a person sees before the rows of a file are sent. */
import { counted, note, numberOf, visible } from "@messaging-topup/command"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { JournalLocation } from "@messaging-topup/journal/open"
import { type Compared, countsOf, report, type Totals } from "../Events.ts"
import type { List } from "../input/List.ts"
import { sandboxPrefix } from "../journal/Campaign.ts"
import * as Journal from "../journal/Journal.ts"
import * as LocalTime from "../words/LocalTime.ts"
import type { Plan } from "./Plan.ts"

/** How many texts are shown. */
const maxShown = 3

const maxQuoted = 300

/** Quotes an SMS text for a terminal. */
const quotedText = (text: string): string => {
  // Excel ends a line with both characters.
  const shown = visible(text.replaceAll("\r\n", "\n"))
  return `"${shown.length > maxQuoted ? `${shown.slice(0, maxQuoted)}…` : shown}"`
}

/** Words that show whether the encoding was recognised. */
const wordBeyondAscii = /\p{L}*[^\0-\x7f]\S*/u

/** Says how a file is read that is no Unicode. A person sees some of its words. */
const noteEncoding = Effect.fnUntraced(function* (
  { encoding, source }: List,
  texts: ReadonlyArray<string>
) {
  if (encoding !== "windows-1252") return
  const words = texts.flatMap((text) => wordBeyondAscii.exec(text)?.[0] ?? [])
  const shown = words.slice(0, maxShown).map(quotedText).join(", ")
  yield* note(
    `${source.name} is not UTF-8, and is read as Windows-1252${shown === "" ? "" : `: ${shown}`}. If that is wrong, save it as CSV UTF-8`
  )
})

/** How many rows went out under another name. */
export const sumOf = (elsewhere: Plan["elsewhere"]): number =>
  elsewhere.reduce((sum, { rows }) => sum + rows, 0)

interface Reported {
  readonly list: List
  readonly location: JournalLocation
  readonly zone: DateTime.TimeZone
}

/** Shows what would be sent, or is. */
export const reportPlan = Effect.fnUntraced(function* (
  { list, location, zone }: Reported,
  plan: Plan,
  showsTexts: boolean
) {
  const { again, elsewhere, invalid, repeated, rows, segments, skipped, states, texts } = plan
  const { excluded, "over the limit": overLimit } = skipped
  const totals: Totals = {
    event: "Totals",
    encoding: list.encoding,
    rows,
    invalid,
    excluded,
    over_limit: overLimit,
    repeated_recipients: repeated
  }
  const title = `${list.source.name}: ${counted(rows + invalid + excluded + overLimit, "row")}`
  const totalsText = countsOf(title, totals, [
    ["rows", "can be sent"],
    ["invalid", "invalid"],
    // None means that the list fits no row: a person wants to know that.
    ["excluded", "excluded", list.hasExclusions ? undefined : "rare"],
    ["over_limit", "over the limit", "rare"],
    ["repeated_recipients", "same recipient as an earlier row", "rare"]
  ])
  yield* report(totals, totalsText)
  const compared: Compared = {
    event: "Compared",
    journal: Journal.nameOf(location),
    to_send: states.free,
    segments,
    sent: states.sent,
    unknown: states.unknown,
    rejected: states.rejected,
    closed: states.closed,
    in_flight: states["in-flight"],
    changed: states.changed,
    recipients_of_this_campaign: again,
    same_sms_elsewhere: sumOf(elsewhere)
  }
  const comparedText = countsOf(`By the journal ${compared.journal}:`, compared, [
    ["to_send", "to send"],
    ["segments", "segments to send"],
    ["sent", "sent already"],
    ["unknown", "unknown, not sent again", "rare"],
    ["rejected", "rejected, sent again with --retry rejected", "rare"],
    ["closed", "closed, as a person decided", "rare"],
    ["in_flight", "in flight in another process", "rare"],
    ["changed", "changed, not sent", "rare"],
    ["recipients_of_this_campaign", "recipients with another SMS of this campaign", "rare"],
    ["same_sms_elsewhere", "the same SMS as one of the last 30 days", "rare"]
  ])
  yield* report(compared, comparedText)
  for (const { campaign, lastAt, rows: same } of elsewhere) {
    const sender = campaign === undefined ? "single sends" : `the campaign ${quotedText(campaign)}`
    yield* note(
      `${counted(same, "row")} went out before with ${sender}, last on ${LocalTime.partsOf(lastAt, zone).day}`
    )
  }
  yield* noteEncoding(list, showsTexts ? texts : [])
  if (!showsTexts || states.free === 0) return
  const shown = texts.slice(0, maxShown).map((text) => `\n  ${quotedText(text)}`)
  yield* note(`The first texts:${shown.join("")}`)
})

export const questionOf = (
  campaign: string,
  { again, elsewhere, states }: Plan,
  isTrial: boolean
): string => {
  if (isTrial) return `Send ${numberOf(states.free)} SMS to one phone, as a trial?`
  const target = campaign.startsWith(sandboxPrefix) ? " to the sandbox" : ""
  const second = again === 0 ? "" : ` ${counted(again, "recipient")} get another one.`
  const same = sumOf(elsewhere)
  const before = same === 0 ? "" : ` ${counted(same, "recipient")} got the same text before.`
  return `Send ${numberOf(states.free)} SMS${target}?${second}${before}`
}
