/** Sends the rows of a file, and prints the progress and the result. */
import {
  argumentsOf,
  counted,
  exitCodes,
  Invocation,
  note,
  type Values
} from "@messaging-topup/command"
import { documentedErrors, type MessagingTopup } from "@messaging-topup/core"
import { patienceMinutes, SendJournal } from "@messaging-topup/journal/internal"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Struct from "effect/Struct"
import { parse } from "node:path"
import * as Stream from "effect/Stream"
import {
  sendMany,
  type SendManyEvent,
  type SendManyOptions,
  type Stop
} from "@messaging-topup/journal"
import { type CommandError, explain } from "../CommandError.ts"
import { type Ended, type Event, tell, tellCounts, tellPerson } from "../Events.ts"
import { reading, savedSince } from "../input/List.ts"
import { named } from "../journal/Campaign.ts"
import { argumentsFor, argumentsLacking, type JournalFlags } from "../journal/ChosenJournal.ts"
import { noteUnlisted } from "../journal/Unlisted.ts"
import { byIds, toDecide } from "../journal/WayToDecide.ts"
import * as LocalTime from "../words/LocalTime.ts"
import * as LostJournal from "./LostJournal.ts"
import { asRead } from "./MessagingService.ts"
import type { Plan, SendSettings } from "./Plan.ts"
import * as Progress from "./Progress.ts"
import { noteRejected } from "./RejectedRows.ts"
import { outcomes, sentNowTo, tellEnded, totalsOf, totalsWithout } from "./TellEnded.ts"
import { shellLine } from "../words/ShellLine.ts"

const reasons = {
  AcceptedNobody:
    "Five responses in a row had the status of an acceptance, and accepted nobody. Something before the service, such as a firewall, may respond in its place: find out, and decide about the rows of unknown outcome",
  Closed: "The journal was closed",
  JournalReplaced: "The journal was replaced",
  FailuresInARow: "Too many SMS in a row were not accepted. Find the cause",
  NoConnection: `There was no connection to the service for ${patienceMinutes} minutes. Check the network and MESSAGING_TOPUP_BASE_URL`,
  FirstFailed:
    "The first SMS all failed in the same way. Check the settings, such as the address of the service",
  ...Record.map(documentedErrors, ({ advice }) => advice)
}

const stopText = ({ failure, reason }: Stop): string =>
  `Stopped. ${reasons[reason]}${failure === undefined ? "" : `. The failure: ${failure}`}`

/** Returns an event of the library as the command tells it. */
const eventOf = (event: SendManyEvent): Event | undefined => {
  switch (event._tag) {
    case "Changed":
      // It was told with its line, before the rows were sent.
      return undefined
    case "GoesOn":
    case "JournalBack":
      return { event: event._tag }
    case "JournalLost":
      return { event: event._tag, problem: event.error.message }
    case "JournalReplaced":
      return { event: event._tag, missing: event.missing }
    case "Settled": {
      const { _tag, notSent, ...counts } = event
      return { event: _tag, ...counts, not_sent: notSent }
    }
    case "Waiting":
      return { event: event._tag, why: event.why, until: LocalTime.utc(event.until) }
    case "OutcomesLost":
    case "WaitingForOthers":
      return { event: event._tag, rows: event.rows }
  }
}

/** The states of rows that are as they should be. */
const fine: ReadonlySet<string> = new Set(["sent", "closed"])

/** The exit code for so many rows in each state. */
export const codeOf = (rows: Readonly<Record<string, number>>): number =>
  Object.entries(rows).some(([state, count]) => count > 0 && !fine.has(state))
    ? exitCodes.notAllSent
    : exitCodes.done

/** The options of a campaign. A new one does not compile before it has its value here. */
type EachOption = { readonly [Name in keyof Required<SendManyOptions>]: SendManyOptions[Name] }

interface Asked extends JournalFlags, Values<typeof fileOptions> {
  readonly file: string
  /** Whether nothing of it is remembered. */
  readonly isForgotten: boolean
  readonly to: string | undefined
  readonly yes: boolean
}

/** What every command on the same list needs. */
const fileOptions = { ...reading, ...named }

/** What a run says last, however it ends. */
export interface Ending {
  /** Whether rows may have been claimed. */
  hasBegun?: boolean
  /** Why it must not be run again. */
  because?: string | undefined
}

/** The stop list was saved in quiet hours. */
class StopListSaved extends Data.Class<{ readonly saved: string }> {}

/** Returns the exit code. */
export const sendList = Effect.fnUntraced(function* (
  settings: SendSettings,
  plan: Plan,
  flags: Asked,
  ending: Ending
): Effect.fn.Return<number, CommandError, Invocation | MessagingTopup | SendJournal> {
  const { campaign, destination, list, quietHours, rates, retryRejected, zone } = settings
  const invocation = yield* Invocation
  const { campaigns } = yield* SendJournal
  ending.hasBegun = true
  const { allowRepeats, isForgotten } = flags
  const inJournal = isForgotten ? [] : yield* argumentsFor(flags)
  const lineOf = (command: string, ...more: ReadonlyArray<string>) =>
    shellLine(command, "--campaign", campaign, ...inJournal, ...more)
  // The number of a trial is not printed.
  const isPrinted = flags.to === undefined && list.isRepeatable
  const sameArgs = [...invocation.args, ...(isForgotten ? [] : yield* argumentsLacking(flags))]
  const sameCommand = isPrinted ? `: ${shellLine(...sameArgs)}` : ""
  const tellHowToGoOn = Effect.suspend(() =>
    ending.because === undefined
      ? note(`To go on, run the same command again${sameCommand}`)
      : Effect.void
  )

  const rows = Stream.filter(list.rows, (row) => row._tag === "Row").pipe(
    Stream.map(({ row }) => row)
  )

  /** After quiet hours: who opted out in them gets no SMS. What a person agreed to is sent, whatever became of the list. */
  const checkStopList = Effect.gen(function* () {
    const saved = yield* savedSince([list.stopList])
    // The journal ends the run with it, when the requests in flight have ended.
    if (saved !== undefined) return yield* Effect.die(new StopListSaved({ saved }))
  })

  let isAnySettled = false
  const settled = { sent: 0, rejected: 0, unknown: 0 }

  /** How many outcomes may be in no journal. */
  let lost = 0
  let lostText = ""
  const saidOf = LostJournal.make()

  /** Notes what decides whether this may be run again. */
  const noteJournal = (event: SendManyEvent) => {
    const said = saidOf(event)
    lost = said.lost
    lostText = said.text
    ending.because = said.because
  }

  const tellLost = Effect.suspend(() =>
    lost === 0 || ending.because !== undefined ? Effect.void : note(lostText)
  )

  /** What can be said without the journal. */
  const tellWithout = (stop?: Ended["stop"]) =>
    Effect.suspend(() => {
      const heard = { ...settled, unknown: settled.unknown + lost }
      const totals = totalsWithout(heard, plan)
      const told = { campaign, state: "stopped", sent_now: settled.sent, stop, ...totals } as const
      return Effect.andThen(tellEnded(told, destination), tellLost)
    })

  const countInterrupted = Effect.gen(function* () {
    const { "in-flight": in_flight, rejected, sent, unknown } = yield* campaigns.counts(campaign)
    yield* tellCounts(
      `${campaign}: interrupted. ${sentNowTo(settled.sent, destination)}; of the whole campaign:`,
      {
        event: "Interrupted",
        campaign,
        sent_now: settled.sent,
        sent,
        rejected,
        unknown,
        in_flight
      },
      outcomes
    )
    if (ending.because !== undefined) return
    yield* note("Stopped. The journal has what became of each SMS of this run")
  })

  /** Runs after the requests in flight have ended. A journal that was given up is not waited for again. */
  const interrupted = Effect.suspend(() =>
    lost === 0 ? Effect.catch(countInterrupted, () => tellWithout()) : tellWithout()
  ).pipe(Effect.andThen(tellHowToGoOn))

  const sending = Effect.gen(function* () {
    const update = yield* Progress.make(plan.states.free, zone)
    const options: EachOption = {
      campaign,
      concurrency: rates.concurrency,
      messagesPerSecond: rates.messagesPerSecond,
      quietHours,
      retryRejected,
      // A person who was shown who gets a second SMS has said yes.
      allowRepeats: allowRepeats || isForgotten || plan.shown,
      attended: invocation.terminal.canAsk,
      onEvent: Effect.fnUntraced(
        function* (event) {
          noteJournal(event)
          if (event._tag === "Settled") {
            isAnySettled = true
            for (const state of Struct.keys(settled)) settled[state] += event[state]
          }
          if (event._tag === "GoesOn") yield* checkStopList
          yield* update(event)
          // The line of progress has no room for it.
          if (event._tag === "JournalLost") yield* note(event.error.message)
          const told = eventOf(event)
          if (told !== undefined) yield* tell(told)
        },
        Effect.provideService(Invocation, invocation)
      )
    }
    return yield* sendMany(rows, options)
  }).pipe(Effect.scoped)

  const result = yield* sending.pipe(
    Effect.catch((failure) => {
      // Nothing went out.
      if (!isAnySettled && lost === 0) return Effect.fail(failure)
      if (failure._tag === "CampaignPruned") {
        ending.because = `Rows of ${campaign} were pruned while they were sent: some people may have got the SMS of this run`
      }
      return tellWithout({ reason: failure._tag }).pipe(
        Effect.andThen(note(explain(failure).text)),
        Effect.as(exitCodes.stopped)
      )
    }),
    Effect.onInterrupt(() => interrupted),
    Effect.catchDefect((defect) =>
      defect instanceof StopListSaved ? Effect.succeed(defect) : Effect.die(defect)
    )
  )
  if (typeof result === "number") return result
  if ("saved" in result) {
    yield* note(`${result.saved}: nothing more is sent`)
    yield* interrupted
    return exitCodes.stopped
  }
  const { inFlightUntil, rows: ended, sentNow, stop } = result
  const totals = totalsOf(ended, plan)
  const { rejected, repeated, unknown } = totals
  const state = stop === undefined ? "finished" : "stopped"
  yield* tellEnded({ campaign, state, sent_now: sentNow, stop, ...totals }, destination)
  const given = [flags.file, ...argumentsOf(fileOptions, flags), ...inJournal]
  const hasFile = list.isRepeatable && !list.isPipe
  if (!isForgotten) {
    if (hasFile) {
      // Never the list itself: the results of a run are often the list of the next one. Nor those of another campaign.
      const { name } = parse(flags.file)
      const of =
        campaign === name ? name : `${name}-${campaign.replace(/[^\p{L}\p{N}._-]+/gu, "-")}`
      const out = `${of}-results.csv`
      yield* tellPerson(`What became of each row: ${shellLine("results", ...given, "--out", out)}`)
    }
    yield* tellPerson(
      `A page for colleagues, without numbers and texts: ${lineOf("report", "--out", "report.html")}`
    )
  }
  const stopListSaved = yield* savedSince([list.stopList])
  if (stopListSaved !== undefined) {
    yield* note(
      `${stopListSaved}: that had no effect on this run, and who was added to it may have got an SMS`
    )
  }
  const listSaved = yield* savedSince([list])
  if (listSaved !== undefined) {
    yield* note(`${listSaved}: that had no effect on this run. Run it again for what is new`)
  }
  // A journal that was given up is not asked again.
  const isAsked = lost === 0 && ending.because === undefined
  if (isAsked) yield* noteRejected(settings, rejected)
  if (unknown > 0 && !isForgotten) {
    // A line that is pasted has the template, which no log may have.
    const isWhole = hasFile && invocation.terminal.isRead
    const about = hasFile && !isWhole ? " about all of the campaign, later ones too" : ""
    const line = isWhole
      ? shellLine("resolve", ...given)
      : hasFile
        ? lineOf("resolve")
        : yield* byIds(settings, isAsked, flags)
    yield* note(
      `The outcome of ${unknown} is unknown: they may have gone out, and no run sends them again before a person decides. ${toDecide(line, about)}`
    )
  }
  if (repeated > 0) {
    const again = flags.yes ? "give --allow-repeats" : "run it again"
    yield* note(
      `${counted(repeated, "row")} not sent, because the recipient got an SMS of this campaign, or the same text, before, or may have. If they should get this one, too, ${again}`
    )
  }
  // A run that stopped has not read all rows.
  if (stop === undefined && isAsked)
    yield* Effect.ignore(noteUnlisted(campaign, list, flags, plan.invalid > 0))
  if (inFlightUntil !== undefined) {
    yield* note(
      `${counted(ended.inFlight, "row")} in flight in another process, which may have ended: after ${LocalTime.second(inFlightUntil, zone)}, run it again: it sends the rows that are still open, and those without an outcome are then unknown`
    )
  }
  if (stop !== undefined) {
    if (ending.because === undefined) yield* note(yield* asRead(stopText(stop)))
    yield* tellHowToGoOn
    return exitCodes.stopped
  }
  return codeOf(totals)
})
