/**
 * `run`: loads a file of rows, then sends them or puts them into the queue.
 */
import { UsageError, type Values } from "@messaging-topup/sandbox/command-line"
import { CampaignJournal } from "@messaging-topup/journal"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { statSync } from "node:fs"
import { basename, extname } from "node:path"
import { status } from "../../rows/State.ts"
import { requireTerminal } from "../Confirm.ts"
import { codeOf, exitCodes } from "../ExitCodes.ts"
import { CannotRun } from "../Failure.ts"
import type * as Flags from "../Flags.ts"
import { loadRows } from "../LoadRows.ts"
import { counted } from "../../report/Format.ts"
import { note } from "../Output.ts"
import * as Plan from "../Plan.ts"
import * as Question from "../Question.ts"
import * as Queue from "../Queue.ts"
import * as RowsFile from "../RowsFile.ts"
import { sendCampaign } from "../SendCampaign.ts"
import { type SendFlags, withServices } from "../Services.ts"

interface RunInput
  extends
    RowsFile.FileFlags,
    SendFlags,
    Values<typeof Flags.campaignOfFile & typeof Flags.queue & typeof Flags.yes> {}

/** A trial has a campaign of its own, so that its rows do not count as sent. */
const trialPrefix = "trial:"

const campaignOf = ({ campaign, file, to }: RunInput): Effect.Effect<string, UsageError> => {
  const prefix = to === undefined ? "" : trialPrefix
  if (campaign !== undefined) return Effect.succeed(prefix + campaign)
  return file === "-"
    ? Effect.fail(
        new UsageError({
          problem: "The rows come from stdin, which has no name for the campaign: give --campaign"
        })
      )
    : Effect.succeed(prefix + basename(file, extname(file)))
}

const requirePerson = (input: RunInput) => {
  if (input.yes) return Effect.void
  return RowsFile.isStdin(input)
    ? Effect.fail(
        new UsageError({
          problem:
            "The rows come from stdin, so nobody can answer a question: give --yes to skip the question"
        })
      )
    : requireTerminal("nothing was sent")
}

/** Identifies the current version of the file, to find changes. */
const versionOf = ({ file }: RunInput) =>
  Effect.sync(() => {
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat === undefined ? undefined : `${stat.ino} ${stat.size} ${stat.mtimeMs}`
  })

/** Loads the rows, after the person's approval if `--yes` is absent. */
const loadApproved = Effect.fnUntraced(function* (
  input: RunInput,
  campaign: string,
  rowsFile: RowsFile.RowsFile,
  zone: DateTime.TimeZone
) {
  if (input.yes) {
    const plan = yield* Plan.make(campaign)
    const { checked, totals } = yield* loadRows({ campaign, rowsFile, compare: plan.add }, plan.end)
    yield* RowsFile.reportTotals(rowsFile, totals)
    if (totals.rows === 0) return { totals, answer: "nothing-to-send" } as const
    const count = yield* Question.reportPlan(checked, rowsFile, totals, zone)
    return { totals, answer: count === 0 ? "nothing-to-send" : "approved" } as const
  }
  const before = yield* versionOf(input)
  const asked = yield* Question.ask(campaign, rowsFile, zone)
  if (asked.answer !== "approved") return asked
  const confirmUnchanged = Effect.gen(function* () {
    if ((yield* versionOf(input)) === before) return undefined
    return yield* new CannotRun({
      problem: `${rowsFile.source.name}: the file changed after it was shown, and nothing was sent: run again`
    })
  })
  const { totals } = yield* loadRows({ campaign, rowsFile }, confirmUnchanged)
  return { totals, answer: "approved" } as const
})

export const run = Effect.fnUntraced(function* (input: RunInput) {
  yield* requirePerson(input)
  const campaign = yield* campaignOf(input)
  const queue = yield* Queue.urlOf(input)
  const rowsFile = yield* RowsFile.make(input)
  return yield* withServices({ ...input, campaign, mustExist: false }, (prepared) =>
    Effect.gen(function* () {
      const { id, resumeLine, zone } = prepared
      const campaigns = yield* CampaignJournal
      if ((yield* campaigns.state(id)) === "cancelled") {
        return yield* new CannotRun({
          problem: `Campaign ${JSON.stringify(campaign)} is cancelled, and nothing was sent: give another --campaign`
        })
      }
      const { answer, totals } = yield* Effect.onInterrupt(
        loadApproved(input, id, rowsFile, zone),
        () =>
          note("Stopped, and nothing was sent. Nothing of the file is in the journal: run it again")
      )
      if (answer === "declined") {
        yield* note("Nothing was sent")
        return exitCodes.failed
      }
      // Without rows, the campaign may not exist.
      if (totals.rows === 0) {
        yield* note("The file has no rows to send")
        return totals.invalid > 0 ? exitCodes.notAllSent : exitCodes.done
      }
      if (answer === "nothing-to-send") {
        const { counts } = yield* status(id)
        if (counts.attempting > 0) {
          yield* note(
            `${counted(counts.attempting, "row")} in flight. If no process is sending this campaign, a process was killed: ${resumeLine}`
          )
          return exitCodes.notAllSent
        }
        return codeOf({ counts, state: "running" }, totals.invalid)
      }
      if (queue !== undefined) return yield* Queue.enqueue(id, queue)
      return yield* sendCampaign({ ...prepared, invalid: totals.invalid })
    })
  )
})
