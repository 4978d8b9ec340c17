/**
 * The question that a person reads before SMS are sent: one paragraph without line breaks, because a host
 * may show only its first lines. These say how many go where; texts and the list of all recipients follow.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import { Phone } from "@messaging-topup/core/internal"
import { type EarlierSends, newestOf, type SendsTo } from "@messaging-topup/journal/internal"
import type * as Array from "effect/Array"
import * as Struct from "effect/Struct"
import { doubtsIn, maxShown } from "./Meant.ts"
import { countryOf } from "./Recipient.ts"
import { type AddressedText, shownText, shownTexts } from "./ShownTexts.ts"
import type { PlannedSms } from "./Plan.ts"
import { decidedOf } from "./Refusal.ts"
import { countsOf, type Ended, isAgain, type KnownSms } from "./Standing.ts"
import { agoOf, plural, sentences } from "../Sentences.ts"
import { quoted } from "../Visible.ts"

/** An SMS that the person is asked about. */
export interface Asked extends KnownSms {
  /** What went to the number as something else than this SMS. */
  readonly earlier: EarlierSends
}

/** What a person is asked. */
export interface Question {
  readonly asked: string
  readonly facts: ReadonlyArray<string>
  /** Each whole text, and who gets it. */
  readonly texts: ReadonlyArray<AddressedText>
  /** All of it in one paragraph. */
  readonly paragraph: string
  /** The id of the newest of other sends to the numbers that it tells of. */
  readonly newestTold: number
}

/** So many numbers, ids or words are named in a sentence. More numbers are marked in the list of all. */
export const maxNamed = 5

const recipientOf = ({ recipient }: SendSmsRequest): string =>
  Phone.isOneNumber(recipient) ? recipient : quoted(recipient, maxShown)

/** What is known of earlier sends of one SMS, and how often it can arrive. */
const historyOf = ({ decided, sent, unknown: ids }: Asked["standing"]): string => {
  const accepted = sent - decided
  const unknown = ids.length
  if (sent + unknown === 0) {
    return "The person who runs the server decided that an earlier send of it did not go out."
  }
  const times =
    accepted === 1
      ? "the service accepted it already"
      : `the service accepted it ${accepted} times already`
  const sends = decided === 1 ? "an earlier send" : `${decided} earlier sends`
  const more = `${unknown === 1 ? "an" : unknown} earlier ${unknown === 1 ? "send" : "sends"} of it may have gone out`
  const known = [
    ...(accepted > 0 ? [times] : []),
    ...(decided > 0 ? [`the person who runs the server decided that ${sends} of it went out`] : []),
    ...(unknown > 0 ? [more] : [])
  ].join(", and ")
  const most = sent + unknown === 1 ? "twice" : `${sent + unknown + 1} times`
  const first = known.charAt(0).toUpperCase() + known.slice(1)
  return unknown === 0 ? `${first}, so it arrives ${most}.` : `${first}, so it can arrive ${most}.`
}

/** Each number once. */
const namesOf = (rows: ReadonlyArray<PlannedSms>): string => {
  if (rows.some(({ batch }) => batch === undefined)) return "this number"
  const names = new Map(
    rows.map(({ request }) => [Phone.wideForm(request.recipient), recipientOf(request)])
  )
  return names.size <= maxNamed ? [...names.values()].join(", ") : `${names.size} of these numbers`
}

/** The time of a question, and whether the operator can decide about unknown sends. */
interface Facts {
  readonly now: number
  readonly canDecide: boolean
}

/** Names sends of unknown outcome by what the operator decides by. */
const idsOf = (ids: ReadonlyArray<number>): string => {
  const more = ids.length - maxNamed
  const named = ids.slice(0, maxNamed).join(", ")
  return `${ids.length === 1 ? "id" : "ids"} ${named}${more > 0 ? ` and ${more} more` : ""}`
}

/** How often it happened to an SMS, at most if there are several; once is not said. */
const timesOf = (counts: ReadonlyArray<number>): string => {
  const most = Math.max(...counts)
  if (most <= 1) return ""
  return ` ${counts.length === 1 ? "" : "up to "}${most} times`
}

const lastOf = (counts: ReadonlyArray<number>, before: string, ago: string): string => {
  const times = timesOf(counts)
  return times === "" ? `${before}${ago}` : `${times}, last ${ago}`
}

/** Said beside what happened last. Of several SMS, once says nothing of each. */
const alsoOf = (counts: ReadonlyArray<number>, what: string): ReadonlyArray<string> =>
  counts.join() === "1" || timesOf(counts) !== "" ? [`${what}${timesOf(counts)}`] : []

/**
 * What went to the numbers before, or may have, so that the person does not approve a second SMS unknowingly: the same
 * text, or another one, which may be of the same matter in other words.
 */
const earlierOf = (
  rows: ReadonlyArray<PlannedSms & Pick<Asked, "earlier">>,
  { canDecide, now }: Facts
): string => {
  const told = (
    of: (earlier: EarlierSends) => SendsTo | undefined,
    say: (
      unknown: ReadonlyArray<number>,
      numbers: string,
      ago: string,
      sends: ReadonlyArray<SendsTo>
    ) => string
  ): string => {
    const found = rows.filter(({ earlier }) => of(earlier) !== undefined)
    const sends = found.flatMap(({ earlier }) => of(earlier) ?? [])
    if (sends.length === 0) return ""
    const last = Math.max(...sends.map(({ claimedAt }) => claimedAt))
    // Rows to one number have the same ones.
    const unknown = [...new Set(sends.flatMap((each) => each.unknown))].toSorted(
      (one, other) => other - one
    )
    return say(unknown, namesOf(found), agoOf(now - last), sends)
  }
  return sentences(
    told(
      ({ sameText }) => sameText,
      (unknown, numbers, ago, found) => {
        const { length } = unknown
        const ids = length === 0 || !canDecide ? "" : ` (${idsOf(unknown)})`
        const [accepted, decided] = [
          found.map((each) => each.accepted),
          found.map((each) => each.decided)
        ]
        const acceptedToo = alsoOf(accepted, "the service accepted it")
        const decidedToo = alsoOf(decided, "a person decided that it went out")
        const maybe = (what: string) => {
          if (length === 0) return []
          return [`${length === 1 ? `one ${what}` : `${length} ${what}s`} of it may have gone out`]
        }
        const before = (also: ReadonlyArray<string>) =>
          [...also, ...maybe("earlier send")].map((each) => `, and ${each}`).join("")
        if (found.every(({ isDecided }) => isDecided)) {
          return `A person decided that the same text for ${numbers} went out${lastOf(decided, ", ", ago)}${before(acceptedToo)}${ids}.`
        }
        if (found.every(({ isDecided, isSent }) => isSent && !isDecided)) {
          return `The service accepted the same text for ${numbers}${lastOf(accepted, " ", ago)}, perhaps for a later time${before(decidedToo)}${ids}.`
        }
        const also = [...acceptedToo, ...decidedToo]
        const several = also.length > 0 || length > 1 ? [...also, ...maybe("send")] : []
        return `The service accepted, or may have accepted, the same text for ${numbers} ${ago}${several.length === 0 ? "" : `: ${several.join(", and ")}`}${ids}.`
      }
    ),
    told(
      ({ unknown }) => unknown,
      (unknown, numbers, ago) => {
        const { length } = unknown
        const [sms, last] =
          length === 1 ? ["an earlier SMS", ""] : [`${length} earlier SMS`, "the last one "]
        const ids = canDecide ? `${idsOf(unknown)}, ` : ""
        return `It is not known whether ${sms} to ${numbers} went out (${ids}${last}${ago}).`
      }
    )
  )
}

/** The part of it about unknown ones, for the result of SMS that nobody was asked about. */
export const unknownEarlier = (
  rows: ReadonlyArray<PlannedSms & Pick<Ended, "earlier">>,
  known: Facts
): string =>
  earlierOf(
    rows.map((row) => {
      const { sameText, unknown } = row.earlier ?? {}
      const isUnknown = sameText !== undefined && sameText.unknown.length > 0
      return { ...row, earlier: { ...(isUnknown && { sameText }), ...(unknown && { unknown }) } }
    }),
    known
  )

/** What to do about these: one that was in flight then may have gone out since. */
export const unknownEarlierAdvice =
  "Tell the person: what is still unknown is in list_recent_sends with the recipients, or, if a list or a program sent it, in messaging-topup sends --unknown."

/** A part of the question of its own, the words of a fact, or none, because the operator sets the field. */
export type Shown = "recipients" | "texts" | "of the operator" | ((value: string) => string)

/** How a question shows each field of a request: what it does not show, nobody approves. */
export const shownFields = {
  recipient: "recipients",
  message: "texts",
  sender_id: (sender) => `from ${quoted(sender, maxShown)}`,
  scheduled_time: (time) => `scheduled for ${quoted(time, maxShown)} (it may go out at once)`,
  webhook_url: "of the operator"
} as const satisfies Record<keyof SendSmsRequest, Shown>

/** Each fact once: a batch has one sender. */
const factsOf = (rows: ReadonlyArray<Asked>): ReadonlyArray<string> => {
  const facts = rows.flatMap(({ request }) =>
    Struct.keys(shownFields).flatMap((field) => {
      const show = shownFields[field]
      const value = request[field]
      return typeof show === "string" || value === undefined ? [] : [show(value)]
    })
  )
  return [...new Set(facts)]
}

/** The description of the service does not say how it reads such a number. */
const withoutCountry = "without + and a country code"

/** Each is named once, with how many texts have it. The list of texts shows those of which there are too many kinds. */
const doubtOf = (rows: ReadonlyArray<Asked>, { now }: Facts): string => {
  const doubts = rows.flatMap(({ request }) => doubtsIn(request, now))
  const kinds = [...Map.groupBy(doubts, ({ field, what }) => `${field} ${what}`).values()]
  const said = kinds.slice(0, maxNamed).map((each) => {
    const values = new Set(each.map(({ value }) => value)).size
    const [{ field, what } = { field: "", what: "" }] = each
    return values === 1 ? `A ${field} has ${what}.` : `${plural(values, field)} have ${what}.`
  })
  const more = kinds.length - said.length
  return sentences(...said, more === 0 ? "" : `${more} more words may not be meant.`)
}

const aboutOne = (row: Asked, again: boolean, known: Facts) => {
  const { request, segments, standing } = row
  const facts = [
    ...(countryOf(request.recipient) === undefined ? [withoutCountry] : []),
    ...factsOf([row]),
    plural(segments, "segment")
  ]
  const asked = sentences(
    again && isAgain(standing) ? `Send this SMS AGAIN? ${historyOf(standing)}` : "Send this SMS?",
    earlierOf([row], known),
    doubtOf([row], known)
  )
  const to = [`To ${recipientOf(request)}`, ...facts].join(", ")
  const texts = [{ text: request.message, to: [recipientOf(request)] }]
  return { asked, facts, texts, paragraph: `${asked} ${to}: ${shownText(request.message)}` }
}

/** Counts the recipients by their country codes, the most frequent first. */
const byCountry = (rows: ReadonlyArray<Asked>): string =>
  [...Map.groupBy(rows, ({ request }) => countryOf(request.recipient) ?? "")]
    .toSorted(([, ones], [, others]) => others.length - ones.length)
    .map(([code, { length }]) =>
      code === "" ? `${length} ${withoutCountry}` : `${length} with country code ${code}`
    )
    .join(", ")

const isAgainOf = ({ standing }: Asked): boolean => standing.unknown.length > 0

/**
 * Every recipient stands with its text: the person may approve texts that are not the same for all. Who gets one again
 * is marked, unless all do.
 */
const byText = (rows: ReadonlyArray<Asked>): ReadonlyArray<AddressedText> => {
  const isMarked = !rows.every(isAgainOf)
  return [...Map.groupBy(rows, ({ request }) => request.message)].map(([text, each]) => ({
    text,
    to: each.map((row) =>
      isMarked && isAgainOf(row) ? `${recipientOf(row.request)} (AGAIN)` : recipientOf(row.request)
    )
  }))
}

/** What is known of earlier sends of several SMS. */
const historyOfMany = (again: ReadonlyArray<Asked>): string => {
  const [first, ...others] = again
  if (first !== undefined && others.length === 0) return historyOf(first.standing)
  const most = Math.max(...again.map(({ standing }) => standing.sent + standing.unknown.length + 1))
  const times = most === 2 ? "twice" : `up to ${most} times`
  return `Earlier sends of these may have gone out, so they can arrive ${times}.`
}

/** What is known of the SMS of the call that are not sent now. */
const othersOf = (others: ReadonlyArray<KnownSms>): string => {
  const wentOut = others.filter(({ end }) => end?._tag === "Sent")
  const twice = wentOut.filter(({ standing }) => standing.unknown.length > 0).length
  const sent = wentOut.length
  const { decided } = countsOf(wentOut.map(({ standing }) => standing))
  const closed = others.filter(({ standing }) => standing.state === "closed").length
  const more = twice === 0 ? "" : ` (${twice} perhaps more than once)`
  const counts: ReadonlyArray<readonly [number, string]> = [
    [sent, `sent before${decidedOf(decided)}${more}`],
    [closed, "stopped by a person"],
    [others.length - sent - closed, "perhaps sent before"]
  ]
  const said = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
  return said.length === 0 ? "" : `Left out: ${said.join(", ")}.`
}

const askedOf = (
  rows: ReadonlyArray<Asked>,
  others: ReadonlyArray<KnownSms>,
  known: Facts
): string => {
  const again = rows.filter(isAgainOf)
  const count =
    others.length === 0
      ? `${rows.length}`
      : `${rows.length} of these ${rows.length + others.length}`
  const named = again.length <= maxNamed ? ` (${namesOf(again)})` : ""
  const some = again.length === 0 ? "" : `, ${again.length} of them AGAIN${named}`
  const isAll = again.length === rows.length
  return sentences(
    `Send ${count} SMS${isAll ? ` AGAIN${named}` : some}?`,
    again.length === 0 ? "" : historyOfMany(again),
    earlierOf(rows, known),
    doubtOf(rows, known),
    othersOf(others)
  )
}

const aboutMany = (rows: ReadonlyArray<Asked>, others: ReadonlyArray<KnownSms>, known: Facts) => {
  const texts = byText(rows)
  const facts = [
    byCountry(rows),
    ...factsOf(rows),
    plural(
      rows.reduce((sum, { segments }) => sum + segments, 0),
      "segment"
    ),
    ...(texts.length === 1 ? [] : [`${texts.length} texts`])
  ]
  const asked = askedOf(rows, others, known)
  return { asked, facts, texts, paragraph: `${asked} ${facts.join(", ")}: ${shownTexts(texts)}` }
}

/** About these SMS of a call, which leaves out the others. */
export const write = (
  rows: Array.NonEmptyReadonlyArray<Asked>,
  others: ReadonlyArray<KnownSms>,
  again: boolean,
  known: Facts
): Question => {
  const [first] = rows
  const written =
    first.batch === undefined ? aboutOne(first, again, known) : aboutMany(rows, others, known)
  return { ...written, newestTold: Math.max(...rows.map(({ earlier }) => newestOf(earlier))) }
}
