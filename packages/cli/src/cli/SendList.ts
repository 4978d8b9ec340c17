/** Sends the rows of a file, and prints the progress and the result. */
import { documentedErrors } from "@messaging-topup/core"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Stream from "effect/Stream"
import { type RowCounts, sendMany, type SendManyEvent, type Stop } from "@messaging-topup/journal"
import { counted } from "../text/Format.ts"
import { commandLine } from "../text/CommandLine.ts"
import * as LocalTime from "../text/LocalTime.ts"
import { exitCodes } from "./Failure.ts"
import type { RunFlags } from "./Flags.ts"
import { Invocation } from "./Invocation.ts"
import { type JsonEvent, isTerminal, note, print, report, reportCounts } from "./Output.ts"
import type { Plan } from "./Plan.ts"
import * as Progress from "./Progress.ts"
import type { Settings } from "./Settings.ts"
import { stayOpen } from "./Signals.ts"

const reasons = {
  AcceptedNobody:
    "Five responses in a row had the status of an acceptance, and accepted nobody. Something before the service, such as a firewall, may respond in its place: find out, decide about the rows of unknown outcome, then run it again",
  FailuresInARow: "Too many SMS in a row were not accepted. Find the cause, then run it again",
  NoConnection:
    "There was no connection to the service for five minutes. Check the network and MESSAGING_TOPUP_BASE_URL, then run it again",
  NothingAccepted:
    "The first SMS all failed in the same way. Check the settings, such as the address of the service, then run it again",
  ...Record.map(documentedErrors, ({ advice }) => advice)
}

const stopText = ({ failure, reason }: Stop): string =>
  `Stopped. ${reasons[reason]}${failure === undefined ? "" : `. The failure: ${failure}`}`

/** Returns an event of the library as JSON. */
const jsonOf = ({ _tag, ...event }: SendManyEvent): JsonEvent => {
  if ("key" in event) return { event: _tag }
  if ("error" in event) return { event: _tag, problem: event.error.message }
  if ("until" in event) return { ...event, event: _tag, until: LocalTime.utc(event.until) }
  if (!("notSent" in event)) return { event: _tag }
  const { notSent, ...counts } = event
  return { event: _tag, ...counts, not_sent: notSent }
}

/** What the line of progress has no room for. */
const noteOf = (event: SendManyEvent) =>
  event._tag === "JournalLost" ? note(event.error.message) : Effect.void

type Failed = Pick<RowCounts, "changed" | "rejected" | "unknown"> &
  Partial<Pick<RowCounts, "inFlight" | "notSent" | "repeated">>

/** The exit code for a file with so many rows that are invalid. */
export const codeOf = (
  invalid: number,
  { changed, inFlight = 0, notSent = 0, rejected, repeated = 0, unknown }: Failed
): number => {
  const failures = invalid + changed + rejected + repeated + unknown + inFlight + notSent
  return failures > 0 ? exitCodes.notAllSent : exitCodes.done
}

const sumOf = (rows: RowCounts): number =>
  Object.values(rows).reduce((sum: number, count: number) => sum + count, 0)

/** Returns the exit code. */
export const sendList = Effect.fnUntraced(function* (
  { campaign, list, quietHours, rates, retryRejected, zone }: Settings,
  plan: Plan,
  flags: RunFlags
) {
  const { args } = yield* Invocation
  const { campaigns } = yield* SendJournal
  const { invalid } = plan
  const journal = flags.journal === undefined ? [] : ["--journal", flags.journal]
  const lineOf = (command: string, ...more: ReadonlyArray<string>) =>
    commandLine(command, "--campaign", campaign, ...journal, ...more)
  // The number of a trial is not printed.
  const sameCommand = flags.to === undefined ? `: ${commandLine(...args)}` : ""
  const tellHowToGoOn = note(`To go on, run the same command again${sameCommand}`)

  const rows = Stream.filter(list.rows, (row) => row._tag === "Row").pipe(
    Stream.map(({ row }) => row)
  )

  const isForPerson = yield* isTerminal

  /** Runs after the requests in flight have ended. */
  const interrupted = Effect.gen(function* () {
    const counts = yield* campaigns.counts(campaign)
    yield* reportCounts({ event: "Interrupted", campaign }, `${campaign}: interrupted`, [
      ["sent", "sent", counts.sent],
      ["rejected", "rejected", counts.rejected],
      ["unknown", "unknown", counts.unknown],
      ["in_flight", "in flight", counts["in-flight"], "rare"]
    ])
    yield* note("Stopped. The requests in flight have ended, and their outcomes are in the journal")
  }).pipe(Effect.ignore, Effect.andThen(tellHowToGoOn))

  const sending = Effect.gen(function* () {
    const update = yield* Progress.make(plan.states.free, zone)
    const invocation = yield* Invocation
    return yield* sendMany(rows, {
      ...rates,
      quietHours,
      campaign,
      retryRejected,
      // A trial sends all to one number. A person who was shown how many get another SMS has said yes.
      allowRepeats: flags.allowRepeats || flags.to !== undefined || (!flags.yes && plan.again > 0),
      onEvent: (event) =>
        Effect.andThen(update(event), isForPerson ? noteOf(event) : report(jsonOf(event))).pipe(
          Effect.provideService(Invocation, invocation)
        )
    })
  }).pipe(Effect.scoped)

  const {
    inFlightUntil,
    rows: ended,
    sentNow,
    stop
  } = yield* Effect.onInterrupt(sending, () => interrupted)
  const notSent = Math.max(ended.notSent, plan.rows - sumOf({ ...ended, notSent: 0 }))
  const { changed, closed, inFlight, rejected, repeated, sent, unknown } = ended
  const state = stop === undefined ? "finished" : "stopped"
  const event = { event: "Ended", campaign, state, sent_now: sentNow, stop }
  yield* reportCounts(event, `${campaign}: ${state}`, [
    ["sent", "sent", sent],
    ["rejected", "rejected", rejected],
    ["unknown", "unknown", unknown],
    ["closed", "closed, as a person decided", closed, "rare"],
    ["changed", "changed, not sent", changed, "rare"],
    ["repeated", "recipients with another SMS of this campaign, not sent", repeated, "rare"],
    ["in_flight", "in flight in another process", inFlight, "rare"],
    ["not_sent", "not sent yet", notSent, "rare"],
    ["invalid", "invalid", invalid, "rare"]
  ])
  if (isForPerson) yield* print(`Report: ${lineOf("report", "--out", "report.html")}`)
  if (unknown > 0) {
    yield* note(
      `The outcome of ${unknown} is unknown: they may have gone out, and no run sends them again before a person decides: ${lineOf("resolve", "--help")}`
    )
  }
  if (inFlightUntil !== undefined) {
    yield* note(
      `${counted(inFlight, "row")} of another process that seems to have ended: after ${LocalTime.second(inFlightUntil, zone)}, run it again. What is still open is sent, and what has no outcome is unknown`
    )
  }
  if (stop !== undefined) {
    yield* note(stopText(stop))
    yield* tellHowToGoOn
    return exitCodes.stopped
  }
  return yield* stayOpen(codeOf(invalid, { ...ended, notSent }))
})
