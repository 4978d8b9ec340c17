/**
 * `run`: loads a file of rows, then sends them or puts them into the queue.
 */
import { UsageError } from "@messaging-topup/sandbox/command-line"
import { CampaignJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { statSync } from "node:fs"
import { basename, extname } from "node:path"
import { status } from "../../rows/State.ts"
import type { Totals } from "../../input/Totals.ts"
import { confirm, requireTerminal } from "../Confirm.ts"
import { exitCodes } from "../ExitCodes.ts"
import { CannotRun } from "../Failure.ts"
import { loadRows } from "../LoadRows.ts"
import { note, numberOf } from "../Output.ts"
import * as Queue from "../Queue.ts"
import * as RowsFile from "../RowsFile.ts"
import { sendCampaign } from "../SendCampaign.ts"
import { type SendFlags, withServices } from "../Services.ts"

export interface RunInput extends RowsFile.FileFlags, SendFlags {
  readonly campaign: string | undefined
  readonly yes: boolean
  readonly queue: boolean
}

const campaignOf = ({ campaign, file }: RunInput): Effect.Effect<string, UsageError> => {
  if (campaign !== undefined) return Effect.succeed(campaign)
  return file === "-"
    ? Effect.fail(
        new UsageError({
          problem: "The rows come from stdin, which has no name for the campaign: give --campaign"
        })
      )
    : Effect.succeed(basename(file, extname(file)))
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

/** Shows what would be sent, and asks. Returns whether the person approved. */
const isApproved = Effect.fnUntraced(function* (
  campaign: string,
  totals: Totals,
  sandbox: boolean
) {
  const existing = yield* Effect.option(status(campaign))
  if (Option.isSome(existing)) {
    const { pending, rejected, sent, unknown } = existing.value.counts
    yield* note(
      `The journal already has campaign ${JSON.stringify(campaign)}: sent ${numberOf(sent)}, pending ${numberOf(pending)}, rejected ${numberOf(rejected)}, unknown ${numberOf(unknown)}. Its pending rows are sent too; its other rows are not sent again`
    )
  }
  const count = numberOf(totals.rows - totals.same_key)
  return yield* confirm(`Send ${count} SMS${sandbox ? " to the sandbox" : ""}?`)
})

/**
 * Loads the rows, after the person's approval if `--yes` is absent. Returns undefined if the person
 * declined.
 */
const loadApproved = Effect.fnUntraced(function* (
  input: RunInput,
  campaign: string,
  rowsFile: RowsFile.RowsFile
) {
  if (input.yes) {
    const totals = yield* loadRows({ campaign, rowsFile, isListing: true, confirm: Effect.void })
    yield* RowsFile.reportTotals(rowsFile.source.name, totals)
    return totals
  }
  const before = yield* versionOf(input)
  const totals = yield* RowsFile.totalsOf(rowsFile)
  yield* RowsFile.reportTotals(rowsFile.source.name, totals)
  if (totals.rows === 0) return totals
  if (!(yield* isApproved(campaign, totals, input.sandbox))) return undefined
  const confirmUnchanged = Effect.gen(function* () {
    if ((yield* versionOf(input)) === before) return undefined
    return yield* new CannotRun({
      problem: `${rowsFile.source.name}: the file changed after it was shown, and nothing was sent: run again`
    })
  })
  return yield* loadRows({ campaign, rowsFile, isListing: false, confirm: confirmUnchanged })
})

export const run = Effect.fnUntraced(function* (input: RunInput) {
  yield* requirePerson(input)
  const campaign = yield* campaignOf(input)
  const queue = yield* Queue.urlOf(input)
  const rowsFile = yield* RowsFile.make(input)
  return yield* withServices(
    { ...input, campaign, mustExist: false },
    ({ id, options, resumeLine }) =>
      Effect.gen(function* () {
        const campaigns = yield* CampaignJournal
        if ((yield* campaigns.state(id)) === "cancelled") {
          return yield* new CannotRun({
            problem: `Campaign ${JSON.stringify(campaign)} is cancelled, and nothing was sent: give another --campaign`
          })
        }
        const totals = yield* Effect.onInterrupt(loadApproved(input, id, rowsFile), () =>
          note("Stopped, and nothing was sent. Nothing of the file is in the journal: run it again")
        )
        if (totals === undefined) {
          yield* note("Nothing was sent")
          return exitCodes.failed
        }
        // Without rows, the campaign may not exist.
        if (totals.rows === 0) {
          yield* note("The file has no rows to send")
          return totals.invalid > 0 ? exitCodes.notAllSent : exitCodes.done
        }
        if (queue !== undefined) return yield* Queue.enqueue(id, queue)
        return yield* sendCampaign({ campaign: id, options, invalid: totals.invalid, resumeLine })
      })
  )
})
