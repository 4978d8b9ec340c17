/** What a person sees before the rows of a file are sent. */
import * as Effect from "effect/Effect"
import { counted, numberOf } from "../text/Format.ts"
import * as LocalTime from "../text/LocalTime.ts"
import * as Journal from "./Journal.ts"
import type { List } from "./List.ts"
import { note, quotedText, reportCounts } from "./Output.ts"
import type { Plan } from "./Plan.ts"
import { sandboxPrefix, type Settings } from "./Settings.ts"

/** How many texts are shown. */
const maxShown = 3

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

/** Shows what would be sent, or is. */
export const reportPlan = Effect.fnUntraced(function* (
  { list, location, zone }: Pick<Settings, "list" | "location" | "zone">,
  plan: Plan,
  showsTexts: boolean
) {
  const { again, elsewhere, invalid, repeated, rows, segments, skipped, states, texts } = plan
  const { excluded, "over the limit": overLimit } = skipped
  yield* reportCounts(
    { event: "Totals", encoding: list.encoding },
    `${list.source.name}: ${counted(rows + invalid + excluded + overLimit, "row")}`,
    [
      ["rows", "can be sent", rows],
      ["invalid", "invalid", invalid],
      // None means that the list fits no row: a person wants to know that.
      ["excluded", "excluded", excluded, list.hasExclusions ? undefined : "rare"],
      ["over_limit", "over the limit", overLimit, "rare"],
      ["repeated_recipients", "same recipient as an earlier row", repeated, "rare"]
    ]
  )
  const journal = Journal.nameOf(location)
  yield* reportCounts({ event: "Compared", journal }, `By the journal ${journal}:`, [
    ["to_send", "to send", states.free],
    ["segments", "segments to send", segments],
    ["sent", "sent already", states.sent],
    ["unknown", "unknown, not sent again", states.unknown, "rare"],
    ["rejected", "rejected, sent again with --retry rejected", states.rejected, "rare"],
    ["closed", "closed, as a person decided", states.closed, "rare"],
    ["in_flight", "in flight in another process", states["in-flight"], "rare"],
    ["changed", "changed, not sent", states.changed, "rare"],
    ["recipients_of_this_campaign", "recipients with another SMS of this campaign", again, "rare"],
    ["same_sms_elsewhere", "the same SMS as one of the last 30 days", sumOf(elsewhere), "rare"]
  ])
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
