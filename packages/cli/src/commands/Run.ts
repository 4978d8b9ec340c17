/** `run`: sends the rows of a file that were not sent before. */
import {
  exitCodes,
  Invocation,
  note,
  number,
  on,
  refuse,
  signals,
  text,
  untilStopped,
  type Values
} from "@messaging-topup/command"
import { MessagingTopup } from "@messaging-topup/core"
import type { SendManyOptions } from "@messaging-topup/journal"
import {
  notSent,
  QuietHours,
  readSendManyOptions,
  sendManyTable
} from "@messaging-topup/journal/internal"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import { agreed, commandOf, stopped, stopping } from "../CommandFile.ts"
import { allOf, cannotRun, type CommandError, explain, requireTerminal } from "../CommandError.ts"
import * as List from "../input/List.ts"
import * as Campaign from "../journal/Campaign.ts"
import * as ChosenJournal from "../journal/ChosenJournal.ts"
import * as MessagingService from "../run/MessagingService.ts"
import * as Plan from "../run/Plan.ts"
import { questionOf, tellPlan, warningsOf } from "../run/PlanText.ts"
import { endWithNothing } from "../run/NothingToSend.ts"
import { codeOf, type Ending, sendList } from "../run/SendList.ts"
import * as LocalTime from "../words/LocalTime.ts"
import { shellLine, shellWords } from "../words/ShellLine.ts"

const { allowRepeats, outcome, ...listOptions } = List.reading

/** The options, as the help shows them. */
const groups = {
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

const options = {
  ...List.needed,
  ...groups["To try it"],
  ...List.reading,
  ...groups["When it is sent"],
  ...groups["To send again"],
  ...groups.General
}

type Flags = Values<typeof options>

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
  yield* QuietHours.make(quietHours)
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
const isForgotten = ({ sandbox, to }: Flags): boolean => sandbox || to !== undefined

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
const settingsOf = (flags: Flags) =>
  allOf({
    person: requirePerson(flags),
    name: requireName(flags),
    campaign: campaignOf(flags),
    retryRejected: retryOf(flags),
    rates: Effect.flatMap(campaignOf(flags), (campaign) =>
      readSendManyOptions({
        campaign,
        concurrency: flags.concurrency,
        messagesPerSecond: flags.messagesPerSecond,
        allowRepeats: flags.allowRepeats
      } satisfies CampaignFlags)
    ),
    quietHours: quietHoursOf(flags),
    zone: LocalTime.zoneOf(flags.timeZone),
    location: locationOf(flags),
    list: List.make(
      flags,
      isForgotten(flags) ? Effect.succeed([]) : ChosenJournal.argumentsLacking(flags)
    )
  })

/** Shows what a run would do. Without a journal, nothing was sent. */
const dryRun = Effect.fnUntraced(function* (settings: Plan.RunSettings, flags: Flags) {
  const { isNew, journal } = yield* ChosenJournal.look(settings.location)
  const named = { ...settings, flags }
  const isThere = MessagingService.ifSet(ChosenJournal.requireAddress(settings.location))
  const looked = Effect.all([Campaign.find(named), Plan.make(settings)])
  const [found, plan] = yield* Effect.provideContext(Effect.andThen(isThere, looked), journal)
  yield* tellPlan(settings, plan, { isNew, showsTexts: true })
  for (const { says } of warningsOf(plan, settings, found)) yield* note(says)
  if (found.otherFolder !== undefined) yield* note(found.otherFolder)
  const code = codeOf({ ...plan.known, free: 0, invalid: plan.invalid })
  return yield* Effect.provideContext(ChosenJournal.reading(Effect.succeed(code)), journal)
})

/** What is sent, after the plan was shown and agreed to; or the exit code, if nothing is. */
const agree = Effect.fnUntraced(function* (
  settings: Plan.SendSettings,
  flags: Flags,
  isNew: boolean
) {
  const { destination, list, location } = settings
  // Before the plan: what went to another address is not sent.
  yield* ChosenJournal.requireAddress(location)
  const found = yield* Campaign.find({ ...settings, flags })
  const { otherFolder } = found
  const plan = yield* Plan.make(settings)
  yield* tellPlan(settings, plan, { isNew, showsTexts: !flags.yes })
  const sendsNothing = plan.states.free + plan.states["in-flight"] === 0
  if (otherFolder !== undefined && (sendsNothing || !flags.yes)) yield* note(otherFolder)
  if (sendsNothing) return yield* endWithNothing(settings, plan, flags)
  const warnings = warningsOf(plan, settings, found)
  if (flags.yes) {
    // What the journal knows may be of another list.
    const problems =
      otherFolder === undefined ? warnings.flatMap(({ refusal }) => refusal ?? []) : [otherFolder]
    if (problems.length > 0) {
      return yield* cannotRun(["Nothing was sent", ...problems].join(". "))
    }
  }
  const isAnswered = flags.yes || plan.states.free === 0
  if (isAnswered) for (const { says } of warnings) yield* note(says)
  const question = questionOf(plan, warnings, destination, list, isNew ? location : undefined)
  if (!(yield* agreed(question, { yes: isAnswered }, "Nothing was sent"))) return exitCodes.failed
  const saved = yield* List.savedSince([list.stopList, list])
  if (saved !== undefined) return yield* cannotRun(`Nothing was sent: ${saved}. Run again`)
  return { plan, found }
})

/** Only who agreed begins a journal. */
const agreeAndSend = Effect.fnUntraced(function* (
  settings: Plan.SendSettings,
  flags: Flags,
  ending: Ending
) {
  const { location } = settings
  const { isNew, journal: looked } =
    flags.yes && !isForgotten(flags)
      ? { isNew: false, journal: yield* ChosenJournal.begun(location) }
      : yield* ChosenJournal.look(location)
  const given = yield* Effect.provideContext(agree(settings, flags, isNew), looked)
  if (typeof given === "number") return given
  const send = Effect.gen(function* () {
    const begun = yield* Campaign.begin({ ...settings, flags })
    // Another process may have begun it since the question.
    for (const what of ["otherFolder", "noStopList"] as const) {
      if (begun[what] === given.found[what]) continue
      return yield* cannotRun(`Nothing was sent. ${begun[what]}`)
    }
    const asked = { ...flags, isForgotten: isForgotten(flags) }
    return yield* sendList(settings, given.plan, asked, ending)
  })
  return yield* Effect.provideContext(send, isNew ? yield* ChosenJournal.begin(location) : looked)
})

/** Keeps the inbox open for a person, until Ctrl+C. A script must end. */
const stayOpen = Effect.fnUntraced(function* (code: number, inbox: string) {
  const { stop, terminal } = yield* Invocation
  if (!terminal.canAsk) return code
  yield* note(`The inbox stays open until Ctrl+C: ${inbox}`)
  const signal = yield* stop
  yield* note("The inbox is closed")
  return signal === "SIGINT" ? code : exitCodes[signal]
})

/** Tells last why a run must not be run again, if it must not. */
const endedBy =
  (ending: Ending) =>
  <R>(running: Effect.Effect<After, CommandError, R>) =>
    running.pipe(
      Effect.catchIf(
        () => ending.because !== undefined,
        (failure) => Effect.as(note(explain(failure).text), Effect.succeed(exitCodes.stopped))
      ),
      Effect.flatMap((after) =>
        ending.because === undefined
          ? Effect.succeed(after)
          : Effect.as(note(ending.because), Effect.as(after, exitCodes.stopped))
      )
    )

/** What comes after the last request, and the exit code: no signal interrupts that. */
type After = Effect.Effect<number, never, Invocation>

const run = Effect.fnUntraced(function* (
  flags: Flags,
  ending: Ending
): Effect.fn.Return<After, CommandError, Invocation | Scope> {
  const settings = yield* settingsOf(flags)
  if (flags.dryRun) return Effect.succeed(yield* dryRun(settings, flags))
  const { encoding, name } = settings.list
  if (flags.yes && encoding === "windows-1252") {
    return yield* refuse(
      `${name} is not UTF-8, and only a person can see whether it is Windows-1252: save it as CSV UTF-8, or run it without --yes`
    )
  }
  // The service is first: wrong settings must not create a journal.
  const connections = Math.max(100, settings.rates.concurrency)
  const sandbox = flags.sandbox ? yield* MessagingService.sandbox(connections) : undefined
  const service = yield* Layer.build(sandbox?.service ?? MessagingService.real(connections))
  // Only a service that is not ours has none.
  const { address = "the service" } = Context.get(service, MessagingTopup)
  const destination = { service: address, name: flags.sandbox ? "the sandbox" : address }
  const sending = agreeAndSend({ ...settings, destination }, flags, ending)
  const code = yield* Effect.provideContext(sending, service)
  return sandbox === undefined ? Effect.succeed(code) : stayOpen(code, sandbox.inbox)
})

export const command = commandOf<Flags>({
  usage: "list.csv [options]",
  details: `Shows what it would send, asks, and sends. Run again, it goes on.

Columns: recipient, message, and optionally sender_id, webhook_url, scheduled_time, key. Without a column key, a key is made of the number, text, sender and time of each row: a row whose text has changed is a new row.

Try it; nothing is really sent:
  ${shellLine("run", "list.csv", "--sandbox")}
Send 20 SMS per second:
  ${shellLine("run", "list.csv", "--messages-per-second", "20")}`,
  options,
  groups,
  exits: ["notAllSent", "stopped", ...signals],
  run: (flags) =>
    Effect.suspend(() => {
      const ending: Ending = {}
      return untilStopped(run(flags, ending), (signal) =>
        Effect.map(
          ending.hasBegun === true ? stopping(signal) : stopped(signal, "Nothing was sent"),
          Effect.succeed
        )
      ).pipe(endedBy(ending), Effect.flatten, Effect.scoped)
    })
})
