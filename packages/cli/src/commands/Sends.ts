/** `sends`: lists what the journal has of the MCP server, of programs and of campaigns. */
import {
  counted,
  exitCodes,
  note,
  numberOf,
  on,
  refuse,
  text,
  type Values
} from "@messaging-topup/command"
import { Phone } from "@messaging-topup/core/internal"
import { type KnownSend, nameOf, SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import { stoppable } from "../CommandFile.ts"
import { type Campaign, tellAll } from "../Events.ts"
import * as Recipient from "../input/Recipient.ts"
import * as ChosenJournal from "../journal/ChosenJournal.ts"
import { sendOf, tableOfFields } from "../journal/ShownSends.ts"
import * as LocalTime from "../words/LocalTime.ts"

const options = {
  unknown: on("Lists only what a person must decide about: rows of campaigns, too, with their ids"),
  to: text(
    "number",
    "all",
    "Lists only sends to this number, with or without its country code: rows of campaigns, too"
  ),
  json: on("Prints one JSON object per line on a terminal, too"),
  ...ChosenJournal.common
}

type Flags = Values<typeof options>

const campaignOf = Effect.fnUntraced(function* (campaign: string) {
  const { campaigns } = yield* SendJournal
  const { "in-flight": in_flight, ...counts } = yield* campaigns.counts(campaign)
  const event: Campaign = { event: "Campaign", campaign, ...counts, in_flight }
  return event
})

/** A number, and as what else it may have been sent: with a country code, or without. */
const spellingsOf = Effect.fnUntraced(function* ({ to }: Flags) {
  if (to === undefined) return undefined
  const { number, problem } = Recipient.read(to)
  if (problem !== undefined) return yield* refuse(`--to: ${problem}`)
  const others = Phone.nationalSpellings(number)
  if (Phone.isInternational(number)) return { number, others }
  const { inEveryCountry } = yield* Effect.promise(() => import("../input/PhoneNumber.ts"))
  return { number, others: [...others, ...inEveryCountry(number)] }
})

type Spellings = Effect.Success<ReturnType<typeof spellingsOf>>

/** Says of how many sends the number may be another one. */
const noteRespelled = Effect.fnUntraced(function* (
  sends: ReadonlyArray<KnownSend>,
  number: string
) {
  const { recipientDigest } = yield* SendJournal
  const asked = recipientDigest(number)
  const ids = sends.filter(({ recipient }) => recipient !== asked).map(({ id }) => id)
  if (ids.length === 0) return
  const way = Phone.isInternational(number)
    ? ""
    : ". To leave out those of other countries, give it with + and country code"
  yield* note(
    `${numberOf(ids.length)} of them went to another spelling of the number, which may be that of somebody else: id ${ids.join(", ")}${way}`
  )
})

/** Otherwise a pruned send would read as one that never was. */
const notePruned = Effect.gen(function* () {
  const { operator } = yield* SendJournal
  const { length, 0: last } = yield* operator.pruned
  if (last === undefined) return
  yield* note(
    `${counted(length, "campaign")} pruned, the last one ${JSON.stringify(last.name)} at ${LocalTime.utc(last.prunedAt)}: pruned sends are not in the journal`
  )
})

const list = Effect.fnUntraced(function* (flags: Flags, to: Spellings) {
  const { json, unknown } = flags
  const { operator, recipientDigest } = yield* SendJournal
  const recipients = to && [to.number, ...to.others].map(recipientDigest)
  const found = yield* operator.list({ isUnknown: unknown, recipients })
  if (to !== undefined) yield* noteRespelled(found, to.number)
  const sends = found.map(sendOf)
  const names = unknown || to !== undefined ? [] : yield* operator.campaigns
  const campaigns = yield* Effect.forEach(names, campaignOf)
  if (sends.length + campaigns.length === 0) {
    // Otherwise a wrong --journal would read as the all-clear.
    const journal = nameOf(yield* ChosenJournal.choose(flags))
    yield* note(`No such send ${unknown ? "of unknown outcome " : ""}is in the journal ${journal}`)
  }
  if (!unknown) yield* notePruned
  const inFlight = unknown ? yield* operator.inFlight(recipients) : []
  if (inFlight.length > 0) {
    const until = LocalTime.utc(Math.max(...inFlight.map(({ staleAt }) => staleAt)))
    yield* note(
      `${counted(inFlight.length, "send")} in flight: one whose process has ended becomes unknown by ${until}, so look again then`
    )
  }
  const tables = [sends, campaigns].flatMap((some) => tableOfFields(some) ?? [])
  yield* tellAll([...sends, ...campaigns], tables.join("\n\n") || undefined, json)
  return exitCodes.done
})

export const command = stoppable<Flags>({
  usage: "[options]",
  details:
    "Sends of the MCP server and of sendOnce one by one, newest first, and campaigns by the states of their rows. What sendSms of a program sends is not in the journal. No number and no text is stored. resolve decides about those of unknown outcome",
  options,
  run: Effect.fnUntraced(function* (flags) {
    const to = yield* spellingsOf(flags)
    return yield* ChosenJournal.opened(flags, ChosenJournal.reading(list(flags, to)))
  })
})
