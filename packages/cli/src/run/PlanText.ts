/** What a person sees before the rows of a file are sent. */
import { counted, note, numberOf, visible } from "@messaging-topup/command"
import * as Effect from "effect/Effect"
import { type JournalLocation, nameOf } from "@messaging-topup/journal/internal"
import { tellCounts } from "../Events.ts"
import type { List } from "../input/List.ts"
import type { StopList } from "../input/StopList.ts"
import type { Found } from "../journal/Campaign.ts"
import type { Knowledge } from "../journal/ChosenJournal.ts"
import * as LocalTime from "../words/LocalTime.ts"
import { quotedText } from "../words/QuotedText.ts"
import { sameTextWith } from "../words/ResultWords.ts"
import { shellWords } from "../words/ShellLine.ts"
import type { Destination, Plan, RunSettings, SendSettings } from "./Plan.ts"

/** How many texts are shown. */
const maxShown = 3

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

const columnText = (column: StopList["column"]): string =>
  typeof column === "number" ? `column ${column}` : `the column ${quotedText(column)}`

/** A column of other numbers excludes nobody. A person sees which one was taken, and which ones were not. */
const noteStopList = ({ column, count, isResults, name, otherColumns }: StopList) => {
  const them = otherColumns.map(columnText).join(" and ")
  const exclude = otherColumns.length === 1 ? "excludes" : "exclude"
  const others = them === "" ? "" : `; ${them} ${exclude} nobody`
  const whatever = isResults ? ": of rows with any outcome, also of those who got nothing" : ""
  return note(`${name}: ${counted(count, "number")} in ${columnText(column)}${others}${whatever}`)
}

/** `1 row is`, `2 rows are`. */
const areOf = (count: number, what: string): string =>
  `${counted(count, what)} ${count === 1 ? "is" : "are"}`

/** The stop list, an earlier row and another campaign may have the same number in another spelling. */
const spellingProblem = (
  { isUsed, national }: Pick<Plan, "isUsed" | "national">,
  { country, stopList }: Pick<List, "country" | "stopList">
): string | undefined => {
  const { count, firstLine } = stopList?.unclear ?? { count: 0, firstLine: 0 }
  const ofStopList = count > 0 ? [`${counted(count, "number")} of the stop list`] : []
  const mayGetOne = "somebody who is on the stop list may get an SMS"
  if (country !== undefined) {
    const where = count === 1 ? `line ${firstLine}` : `the first in line ${firstLine}`
    return count === 0
      ? undefined
      : `--country ${country.code} cannot read ${ofStopList.join("")} (${where}): correct the list, or ${mayGetOne}`
  }
  const some = [...(national > 0 ? [counted(national, "number")] : []), ...ofStopList]
  const [begin, them] = national + count === 1 ? ["begins", "it"] : ["begin", "them"]
  if (some.length === 0) return undefined
  const says = `${some.join(" and ")} ${begin} with neither + nor 00`
  // Other spellings of a number that got an SMS, and another --country, would be new rows.
  if (isUsed && national > 0) {
    const also = stopList === undefined ? "" : `. By another spelling, too, ${mayGetOne}`
    return `${says}: write all numbers of the list as in the first run, because whoever got an SMS may not be recognized by another spelling of the number, and then gets a second one${also}`
  }
  const why =
    stopList === undefined
      ? `, so that other spellings of ${them} are found`
      : `; otherwise ${mayGetOne}`
  return `${says}: write ${them} with + and country code${isUsed ? "" : ", or give --country"}${why}`
}

/** What a person has to know to decide. */
interface Warning {
  readonly says: string
  /** Why nothing is sent if nobody is asked. Absent: it is sent all the same. */
  readonly refusal?: string | undefined
}

/** How many rows have a text that went out before, under another name. */
const sumOf = (sentBefore: Plan["sentBefore"]): number =>
  sentBefore.reduce((sum, { rows }) => sum + rows, 0)

/** How a run sends to the others alone. `campaign` is the other one that all of them got the same text with. */
const withoutThem = ({ name }: List, campaign: string | undefined): string =>
  campaign === undefined
    ? `remove their rows from ${name}`
    : `remove their rows from ${name}, or give --campaign ${shellWords(campaign)} if it is the list of that campaign`

/** The question has them. What may reach somebody by mistake is first. */
export const warningsOf = (
  plan: Plan,
  { list, zone }: RunSettings,
  { noStopList, otherStopList }: Found
): ReadonlyArray<Warning> => {
  // One's own phone gets what others would: only its number may be wrong.
  if (list.to !== undefined) {
    const national = Math.min(plan.national, 1)
    const says = spellingProblem({ ...plan, national }, list)
    return says === undefined ? [] : [{ says }]
  }
  const { again, foreign, respelled, sentBefore } = plan
  const { scheduledInPast, scheduledInQuietHours, scheduledUnchecked } = plan
  const warnings = new Array<Warning>()
  const warn = (says: string) => void warnings.push({ says })
  const warnOfSecond = (says: string, way: string, campaign?: string) => {
    const refusal = `${says}. If they should get this one, too, ${way}; otherwise, ${withoutThem(list, campaign)}`
    warnings.push({ says, refusal: list.allowRepeats ? undefined : refusal })
  }
  if (noStopList !== undefined) warnings.push({ says: noStopList, refusal: noStopList })
  if (otherStopList !== undefined) warn(otherStopList)
  const spelling = spellingProblem(plan, list)
  if (spelling !== undefined) {
    warnings.push({ says: spelling, refusal: list.stopList === undefined ? undefined : spelling })
  }
  if (again > 0) {
    const says = `${counted(again, "recipient")} got an SMS of this campaign before, or may have`
    warnOfSecond(says, "give --allow-repeats, or, if the list is a new one, another --campaign")
  }
  for (const { campaign, lastAt, rows } of sentBefore) {
    const { day } = LocalTime.partsOf(lastAt, zone)
    const says = `${counted(rows, "recipient")} ${sameTextWith(campaign)}, last on ${day}`
    warnOfSecond(says, "give --allow-repeats", campaign)
  }
  if (respelled > 0) {
    const says = `${numberOf(respelled)} of these by another spelling of the number (0151 … or 151 … for +49 151 …)`
    warnings.push({ says, refusal: list.allowRepeats ? undefined : says })
  }
  if (scheduledInPast > 0)
    warn(`${areOf(scheduledInPast, "row")} scheduled for a time that has passed`)
  if (scheduledInQuietHours > 0) {
    warn(`${areOf(scheduledInQuietHours, "row")} scheduled for a time in the quiet hours`)
  }
  if (scheduledUnchecked > 0) {
    warn(
      `${counted(scheduledUnchecked, "scheduled time")} cannot be checked: only one such as 2026-12-24T09:00:00+01:00 is`
    )
  }
  if (list.country !== undefined && foreign > 0) {
    warn(`${areOf(foreign, "number")} not of ${list.country.code}`)
  }
  return warnings
}

/** Who got an SMS may be among these: a person has to see that they get nothing now. */
const leftOutOf = ({ chosen }: Plan): string => {
  if (chosen === undefined || chosen.leftOut.size === 0) return ""
  const some = Array.from(chosen.leftOut, ([outcome, count]) => `${numberOf(count)} ${outcome}`)
  return `; --outcome ${shellWords(chosen.outcome)} leaves out ${some.join(", ")}`
}

/** Shows what would be sent, or is. Without a destination, nothing is. */
export const tellPlan = Effect.fnUntraced(function* (
  { destination, list, location }: RunSettings & Partial<Pick<SendSettings, "destination">>,
  plan: Plan,
  { knows, showsTexts }: { readonly knows: Knowledge; readonly showsTexts: boolean }
) {
  const { excluded, invalid, rows, sentBefore, states, texts } = plan
  if (list.stopList !== undefined) yield* noteStopList(list.stopList)
  // None excluded means that the list fits no row: a person wants to know that.
  const always = ["rows", "invalid", ...(list.stopList !== undefined ? ["excluded"] : [])]
  yield* tellCounts(
    `${list.name}: ${counted(rows + invalid + excluded, "row")}${leftOutOf(plan)}`,
    {
      event: "Totals",
      encoding: list.encoding,
      rows,
      invalid,
      excluded,
      repeated_recipients: plan.repeated,
      left_out:
        plan.chosen &&
        Object.fromEntries(
          Array.from(plan.chosen.leftOut, ([outcome, count]) => [outcome.replace(" ", "_"), count])
        )
    },
    always
  )
  const journal = nameOf(location)
  const compared =
    location._tag === "Memory"
      ? "Nothing is remembered of this run:"
      : {
          nothing: `The journal ${journal} is not there yet, and knows of nothing that was sent before:`,
          "no-list": `Rows of this list, compared with the journal ${journal}, on which no list was run yet:`,
          lists: `Rows of this list, compared with the journal ${journal}, which knows what was sent before, to any service:`
        }[knows]
  const { free } = states
  const { changed, closed, "in-flight": in_flight, rejected, sent, unknown } = plan.known
  yield* tellCounts(
    destination === undefined ? compared : `Sends to ${destination.name}. ${compared}`,
    {
      event: "Compared",
      service: destination?.service,
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
      scheduled_in_quiet_hours: plan.scheduledInQuietHours,
      scheduled_unchecked: plan.scheduledUnchecked
    },
    ["to_send", ...(location._tag === "Memory" ? [] : ["sent"])],
    // Most texts have one.
    plan.segments === free ? ["segments"] : []
  )
  yield* noteEncoding(list, showsTexts ? texts : [])
  if (!showsTexts || free === 0) return
  const shown = texts.slice(0, maxShown).map((text) => `\n  ${quotedText(text)}`)
  yield* note(`The first texts:${shown.join("")}`)
})

/** What is said to who does not agree. */
export const declined = ({ again, sentBefore }: Plan, list: List): string => {
  const [other, ...more] = sentBefore
  if (list.to !== undefined || again + sentBefore.length === 0) return "Nothing was sent"
  const campaign = again === 0 && more.length === 0 ? other?.campaign : undefined
  return `Nothing was sent. If only the others should get this one, ${withoutThem(list, campaign)}`
}

interface LookedAt {
  readonly location: JournalLocation
  readonly knows: Knowledge
}

/** What a person has to know of a journal in which lists begin: it may not be the right one. */
const beginningOf = ({ knows, location }: LookedAt): ReadonlyArray<string> => {
  if (location._tag === "Memory" || knows === "lists") return []
  const journal = nameOf(location)
  return knows === "nothing"
    ? [`This begins a new journal, ${journal}, which knows of nothing that was sent before.`]
    : [`No list was run on the journal ${journal}, so it knows of none that was sent before.`]
}

export const questionOf = (
  { states }: Plan,
  warnings: ReadonlyArray<Warning>,
  { name }: Destination,
  { to }: Pick<List, "to">,
  journal: LookedAt
): string => {
  const trial = to === undefined ? "" : `, for the phone ${visible(to)}, as a trial`
  const parts = [
    `Send ${numberOf(states.free)} SMS to ${name}${trial}?`,
    ...warnings.map(({ says }) => `${says}.`),
    ...beginningOf(journal)
  ]
  return parts.join(" ")
}
