/** What a person sees before the rows of a file are sent. */
import { counted, note, numberOf, visible } from "@messaging-topup/command"
import * as Effect from "effect/Effect"
import { type JournalLocation, nameOf } from "@messaging-topup/journal/internal"
import { reportCounts } from "../Events.ts"
import type { List } from "../input/List.ts"
import * as LocalTime from "../words/LocalTime.ts"
import type { Plan, RunSettings } from "./Plan.ts"

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
const wordBeyondAscii = /\p{L}*[^\0-\x7f]\S*/gu

/** Says how a file is read that is no Unicode. A person sees some of its words. */
const noteEncoding = Effect.fnUntraced(function* (
  { encoding, name, reading }: List,
  texts: ReadonlyArray<string>
) {
  if (encoding !== "windows-1252") return
  const ofTemplate = reading["--template"]
  const words = texts.flatMap((text) =>
    Array.from(text.matchAll(wordBeyondAscii), ([word]) => word).filter(
      (word) => ofTemplate?.includes(word) !== true
    )
  )
  const shown = words.slice(0, maxShown).map(quotedText).join(", ")
  yield* note(
    `${name} is not UTF-8, and is read as Windows-1252${shown === "" ? "" : `: ${shown}`}. If that is wrong, save it as CSV UTF-8`
  )
})

/** How many rows went out under another name. */
export const sumOf = (sentBefore: Plan["sentBefore"]): number =>
  sentBefore.reduce((sum, { rows }) => sum + rows, 0)

/** The stop list, an earlier row and another campaign may have the same number with its country code. */
export const nationalProblem = (
  { national }: Plan,
  { stopList }: RunSettings["list"]
): string | undefined => {
  const some = [
    ...(national > 0 ? [counted(national, "number")] : []),
    ...((stopList?.national ?? 0) > 0
      ? [`${counted(stopList?.national ?? 0, "number")} of the stop list`]
      : [])
  ]
  if (some.length === 0) return undefined
  const why =
    stopList === undefined
      ? "so that other spellings of them are found"
      : "or somebody who is on the stop list may get an SMS"
  return `${some.join(" and ")} without a country code: give --country, ${why}`
}

/** Shows what would be sent, or is. */
export const reportPlan = Effect.fnUntraced(function* (
  { list, location, zone }: RunSettings,
  plan: Plan,
  showsTexts: boolean
) {
  const { excluded, invalid, rows, sentBefore, states, texts } = plan
  // None excluded means that the list fits no row: a person wants to know that.
  const always = ["rows", "invalid", ...(list.stopList !== undefined ? ["excluded"] : [])]
  yield* reportCounts(
    `${list.name}: ${counted(rows + invalid + excluded, "row")}`,
    {
      event: "Totals",
      encoding: list.encoding,
      rows,
      invalid,
      excluded,
      repeated_recipients: plan.repeated
    },
    always
  )
  const journal = nameOf(location)
  const { changed, closed, free, "in-flight": in_flight, rejected, sent, unknown } = states
  yield* reportCounts(
    `By the journal ${journal}:`,
    {
      event: "Compared",
      journal,
      to_send: free,
      segments: plan.segments,
      sent,
      unknown,
      rejected,
      closed,
      in_flight,
      changed,
      recipients_of_this_campaign: plan.again,
      same_sms_before: sumOf(sentBefore),
      scheduled_in_past: plan.scheduledInPast,
      scheduled_in_quiet_hours: plan.scheduledInQuietHours
    },
    ["to_send", "segments", "sent"]
  )
  for (const { campaign, lastAt, rows: same } of sentBefore) {
    const sender = campaign === undefined ? "single sends" : `the campaign ${quotedText(campaign)}`
    yield* note(
      `${counted(same, "row")} went out before with ${sender}, last on ${LocalTime.partsOf(lastAt, zone).day}`
    )
  }
  const problem = nationalProblem(plan, list)
  if (problem !== undefined) yield* note(problem)
  if (list.country !== undefined && plan.foreign > 0) {
    yield* note(`${areOf(plan.foreign, "number")} not of ${list.country.code}`)
  }
  yield* noteEncoding(list, showsTexts ? texts : [])
  if (!showsTexts || free === 0) return
  const shown = texts.slice(0, maxShown).map((text) => `\n  ${quotedText(text)}`)
  yield* note(`The first texts:${shown.join("")}`)
})

/** `1 is`, `2 are`, `2 numbers are`. */
const areOf = (count: number, what?: string): string =>
  `${what === undefined ? numberOf(count) : counted(count, what)} ${count === 1 ? "is" : "are"}`

interface Target {
  readonly sandbox: boolean
  readonly to: string | undefined
}

/** `begun` is where a journal begins with it. */
export const questionOf = (
  { again, scheduledInPast, scheduledInQuietHours, sentBefore, states }: Plan,
  { sandbox, to }: Target,
  begun: JournalLocation | undefined
): string => {
  const what = `Send ${numberOf(states.free)} SMS`
  if (to !== undefined) return `${what} to one phone, as a trial?`
  const same = sumOf(sentBefore)
  const parts = [
    sandbox ? `${what} to the sandbox?` : `${what}?`,
    ...(again > 0 ? [`${counted(again, "recipient")} get another one.`] : []),
    ...(same > 0 ? [`${counted(same, "recipient")} got the same text before.`] : []),
    ...(scheduledInPast > 0
      ? [`${areOf(scheduledInPast)} scheduled for a time that has passed.`]
      : []),
    ...(scheduledInQuietHours > 0
      ? [`${areOf(scheduledInQuietHours)} scheduled for a time in the quiet hours.`]
      : []),
    ...(begun === undefined || sandbox
      ? []
      : [
          `This begins a new journal, ${nameOf(begun)}, which knows of nothing that was sent before.`
        ])
  ]
  return parts.join(" ")
}
