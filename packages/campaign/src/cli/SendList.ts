/**
 * Sends the rows of a file, and prints the progress and the result.
 */
import { documentedErrors } from "@messaging-topup/core"
import { SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Stream from "effect/Stream"
import { sendMany } from "../sending/SendMany.ts"
import type { RowCounts, SendManyEvent, Stop } from "../sending/SendManyEvent.ts"
import { commandLine } from "../text/CommandLine.ts"
import * as LocalTime from "../text/LocalTime.ts"
import { exitCodes } from "./ExitCodes.ts"
import type { RunFlags } from "./Flags.ts"
import { Invocation } from "./Invocation.ts"
import { lineOf } from "./Journal.ts"
import { type JsonEvent, isTerminal, note, report, table, withoutZeros } from "./Output.ts"
import type { Plan } from "./Plan.ts"
import type { Prepared } from "./Prepared.ts"
import * as Progress from "./Progress.ts"
import { stayOpen } from "./Signals.ts"

const reasons = {
  FailuresInARow: "Too many SMS in a row were not accepted. Find the cause, then run it again",
  NoConnection:
    "There was no connection to the service for five minutes. Check the network and MESSAGING_TOPUP_BASE_URL, then run it again",
  NothingAccepted:
    "The first SMS all failed in the same way. Check the settings, such as the address of the service, then run it again",
  ...Record.map(documentedErrors, ({ advice }) => advice)
}

const stopText = ({ failure, reason }: Stop): string =>
  `Stopped. ${reasons[reason]}${failure === undefined ? "" : `. The failure: ${failure}`}`

/** Counts with the names that JSON has. */
const shownCounts = <A extends { readonly notSent: number }>({ notSent, ...counts }: A) => ({
  ...counts,
  not_sent: notSent
})

/** Returns an event of the library as JSON, with the same names. */
const jsonOf = ({ _tag, ...event }: SendManyEvent): JsonEvent => {
  if ("key" in event) return { event: _tag }
  if ("error" in event) return { event: _tag, problem: event.error.message }
  if ("until" in event) return { ...event, event: _tag, until: LocalTime.utc(event.until) }
  return { event: _tag, ...("notSent" in event ? shownCounts(event) : event) }
}

interface Failed extends Pick<RowCounts, "changed" | "rejected" | "unknown"> {
  readonly notSent?: number
}

/** The exit code for a file with so many rows that are invalid. */
export const codeOf = (
  invalid: number,
  { changed, notSent = 0, rejected, unknown }: Failed
): number => {
  const failures = invalid + changed + rejected + unknown + notSent
  return failures > 0 ? exitCodes.notAllSent : exitCodes.done
}

const rowsTable = (rows: RowCounts, invalid: number): string =>
  table([
    ["sent", rows.sent],
    ["rejected", rows.rejected],
    ["unknown", rows.unknown],
    ...withoutZeros([
      ["not sent, as a person decided", rows.closed],
      ["changed, not sent", rows.changed],
      ["not sent yet", rows.notSent],
      ["invalid", invalid]
    ])
  ])

/** Returns the exit code. */
export const sendList = Effect.fnUntraced(function* (
  { campaign, list, pacing, retryRejected, zone }: Prepared,
  plan: Plan,
  flags: RunFlags
) {
  const { args } = yield* Invocation
  const { campaigns, digest } = yield* SendJournal
  const { invalid } = plan.totals
  const of = (command: string, ...more: ReadonlyArray<string>) =>
    lineOf(command, campaign, flags, ...more)
  // The number of a trial is not printed.
  const sameCommand = flags.to === undefined ? `: ${commandLine(...args)}` : ""
  const tellHowToGoOn = note(`To go on, run the same command again${sameCommand}`)

  const rows = Stream.flattenIterable(
    Stream.map(
      list.rows((...parts) => digest(parts)),
      (some) => some.flatMap((row) => (row._tag === "Row" ? [row.row] : []))
    )
  )

  const isForPerson = yield* isTerminal

  /** Runs after the requests in flight have ended. */
  const interrupted = Effect.gen(function* () {
    const { "in-flight": inFlight, rejected, sent, unknown } = yield* campaigns.counts(campaign)
    yield* report(
      { event: "Interrupted", campaign, sent, rejected, unknown, in_flight: inFlight },
      `${campaign}: interrupted\n${table([
        ["sent", sent],
        ["rejected", rejected],
        ["unknown", unknown]
      ])}`
    )
    yield* note("Stopped. The requests in flight have ended, and their outcomes are in the journal")
  }).pipe(Effect.ignore, Effect.andThen(tellHowToGoOn))

  const sending = Effect.gen(function* () {
    const update = yield* Progress.make(plan.states.free, zone)
    const invocation = yield* Invocation
    return yield* sendMany(rows, {
      ...pacing,
      campaign,
      retryRejected,
      onEvent: (event) =>
        Effect.andThen(update(event), isForPerson ? Effect.void : report(jsonOf(event))).pipe(
          Effect.provideService(Invocation, invocation)
        )
    })
  }).pipe(Effect.scoped)

  const { rows: ended, sentNow, stop } = yield* Effect.onInterrupt(sending, () => interrupted)
  const notSent = Math.max(ended.notSent, plan.totals.rows - sumOf({ ...ended, notSent: 0 }))
  const counts: RowCounts = { ...ended, notSent }
  const state = stop === undefined ? "finished" : "stopped"
  yield* report(
    {
      event: "Ended",
      campaign,
      state,
      ...shownCounts(counts),
      invalid,
      sent_now: sentNow,
      ...(stop === undefined ? {} : { stop })
    },
    `${campaign}: ${state}\n${rowsTable(counts, invalid)}\nReport: ${of("report", "--out", "report.html")}`
  )
  if (counts.unknown > 0) {
    yield* note(
      `The outcome of ${counts.unknown} is unknown: they may have gone out, and are not sent again. Decide about them: ${of("resolve", "--help")}`
    )
  }
  if (stop !== undefined) {
    yield* note(stopText(stop))
    yield* tellHowToGoOn
    return exitCodes.stopped
  }
  return yield* stayOpen(codeOf(invalid, counts))
})

const sumOf = (rows: RowCounts): number =>
  Object.values(rows).reduce((sum: number, count: number) => sum + count, 0)
