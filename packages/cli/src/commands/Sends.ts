/** `sends`: lists what was sent, by the MCP server, by programs, and by campaigns. */
import { counted, exitCodes, note, on, text, type Values } from "@messaging-topup/command"
import { nameOf, SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import { stoppable } from "../CommandFile.ts"
import { type Campaign, tellAll } from "../Events.ts"
import * as ChosenJournal from "../journal/ChosenJournal.ts"
import { sendOf, tableOfFields } from "../journal/ShownSends.ts"
import * as LocalTime from "../words/LocalTime.ts"

const options = {
  unknown: on("Lists only what a person must decide about: rows of campaigns, too, with their ids"),
  to: text("number", "all", "Lists only sends to this number: rows of campaigns, too"),
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

const list = Effect.fnUntraced(function* (flags: Flags) {
  const { json, to, unknown } = flags
  const { operator, recipientDigest } = yield* SendJournal
  const recipient = to === undefined ? undefined : recipientDigest(to)
  const sends = (yield* operator.list({ isUnknown: unknown, recipient })).map(sendOf)
  const names = unknown || to !== undefined ? [] : yield* operator.campaigns
  const campaigns = yield* Effect.forEach(names, campaignOf)
  if (sends.length + campaigns.length === 0) {
    // Otherwise a wrong --journal would read as the all-clear.
    const journal = nameOf(yield* ChosenJournal.choose(flags))
    yield* note(`No such send ${unknown ? "of unknown outcome " : ""}is in the journal ${journal}`)
  }
  const inFlight = unknown ? yield* operator.inFlight(recipient) : []
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
    "Sends of the MCP server and of programs one by one, newest first, and campaigns by the states of their rows. No number and no text is stored. resolve decides about those of unknown outcome",
  options,
  run: (flags) => ChosenJournal.opened(flags, ChosenJournal.reading(list(flags)))
})
