/** The options of `run`, and what they say. */
import { number, on, refuse, text, type Values } from "@messaging-topup/command"
import type { SendManyOptions } from "@messaging-topup/journal"
import {
  notSent,
  QuietHours,
  readSendManyOptions,
  sendManyTable
} from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import { allOf, requireTerminal } from "../CommandError.ts"
import * as List from "../input/List.ts"
import * as Campaign from "../journal/Campaign.ts"
import * as ChosenJournal from "../journal/ChosenJournal.ts"
import * as LocalTime from "../words/LocalTime.ts"
import { shellWords } from "../words/ShellLine.ts"

const { allowRepeats, outcome, ...listOptions } = List.reading

/** The options, as the help shows them. */
export const groups = {
  "To try it": {
    dryRun: on("Shows what would be sent, and stops. Needs no account, and stores nothing"),
    sandbox: on(
      "Sends to a sandbox in this process: no account is needed, nothing is really sent, and nothing is remembered. On a terminal, its inbox stays open until Ctrl+C"
    ),
    to: text(
      "number",
      "",
      "Really sends the first three rows, to this number, and remembers nothing"
    )
  },
  "How the list is read; all commands on it need the same": { ...List.needed, ...listOptions },
  "When it is sent": {
    // The library has the default, and checks the bounds.
    concurrency: number(
      "count",
      String(sendManyTable.concurrency.default),
      "Maximum SMS that are on their way at the same time"
    ),
    messagesPerSecond: number(
      "rate",
      "no limit",
      "Maximum messages per second of this process; several processes divide it"
    ),
    quietHours: text(
      "HH:MM-HH:MM",
      "none",
      "Hours of each day in which nothing is sent, in the zone of --time-zone, which it needs"
    ),
    ...LocalTime.zoned
  },
  "To send again": {
    retry: text(
      "rejected",
      "",
      "Sends rows again that the service rejected; they may have changed"
    ),
    allowRepeats,
    outcome
  },
  General: {
    yes: on(
      "Skips the question, as without a person; then there must be a journal with lists, or of init"
    ),
    ...Campaign.named,
    ...ChosenJournal.common
  }
}

export const options = {
  ...List.needed,
  ...groups["To try it"],
  ...List.reading,
  ...groups["When it is sent"],
  ...groups["To send again"],
  ...groups.General
}

export type Flags = Values<typeof options>

/**
 * The flags that are options of a campaign as they are given. A new one does not compile before the library checks it;
 * quiet hours have another form.
 */
type CampaignFlags = {
  readonly [
    Name in Exclude<keyof Flags & keyof SendManyOptions, "quietHours">
  ]: SendManyOptions[Name]
}

const quietHoursOf = Effect.fnUntraced(function* ({ quietHours: hours, timeZone }: Flags) {
  if (hours === undefined) return undefined
  if (timeZone === undefined) {
    // This machine may be in another zone than the recipients.
    return yield* refuse(
      "--quiet-hours needs the zone of the recipients, such as --quiet-hours 21:00-08:00 --time-zone Africa/Nairobi"
    )
  }
  const [from = "", to = "", ...rest] = hours.split("-")
  if (to === "" || rest.length > 0) {
    return yield* refuse("--quiet-hours: give two times, such as 21:00-08:00")
  }
  // Otherwise a wrong zone would be told as wrong hours, too.
  yield* LocalTime.zoneOf(timeZone)
  const quietHours = { from, to, timeZone }
  yield* Effect.fromResult(QuietHours.make(quietHours))
  return quietHours
})

const requirePerson = (flags: Flags) => {
  if (flags.yes || flags.dryRun) return Effect.void
  return List.isStdin(flags)
    ? refuse(
        "The rows come from stdin, so nobody can answer a question: give --yes to skip the question"
      )
    : requireTerminal("nothing was sent")
}

const retryOf = ({ retry }: Flags) =>
  retry === undefined || retry === "rejected"
    ? Effect.succeed(retry !== undefined)
    : refuse(
        "--retry: give rejected. Rows of unknown outcome may have gone out: see resolve --help"
      )

/** Under the name of the file of results, the list's next run would send the same rows again. */
const requireName = ({ campaign, outcome: chosen }: Flags) =>
  chosen === notSent && campaign === undefined
    ? refuse(
        `--outcome ${shellWords(notSent)}: give the list's --campaign, by which the journal knows its rows, or another name for another --template`
      )
    : Effect.void

/** Of a rehearsal and of a trial, nothing is remembered. */
export const isForgotten = ({ sandbox, to }: Flags): boolean => sandbox || to !== undefined

/** What nobody remembers needs no name, also of a pipe. */
const campaignOf = (flags: Flags) =>
  isForgotten(flags)
    ? Effect.orElseSucceed(Campaign.nameOf(flags), () => "trial")
    : Campaign.nameOf(flags)

const locationOf = (flags: Flags): ReturnType<typeof ChosenJournal.choose> => {
  if (!isForgotten(flags)) return ChosenJournal.choose(flags)
  return flags.journal === undefined
    ? Effect.succeed({ _tag: "Memory" })
    : refuse("--journal: what goes to --sandbox or --to is not remembered: leave it out")
}

/** What the options say: nothing is stored if one of them is wrong. */
export const settingsOf = (flags: Flags) =>
  allOf({
    person: requirePerson(flags),
    name: requireName(flags),
    campaign: campaignOf(flags),
    retryRejected: retryOf(flags),
    rates: Effect.flatMap(campaignOf(flags), (campaign) =>
      Effect.fromResult(
        readSendManyOptions({
          campaign,
          concurrency: flags.concurrency,
          messagesPerSecond: flags.messagesPerSecond,
          allowRepeats: flags.allowRepeats
        } satisfies CampaignFlags)
      )
    ),
    quietHours: quietHoursOf(flags),
    zone: LocalTime.zoneOf(flags.timeZone),
    location: locationOf(flags),
    list: List.make(
      flags,
      isForgotten(flags) ? Effect.succeed([]) : ChosenJournal.argumentsLacking(flags)
    )
  })
