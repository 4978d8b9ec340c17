/**
 * `retry`: takes rejected rows up again, after their cause was removed.
 */
import { UsageError, type Values } from "@messaging-topup/sandbox/command-line"
import * as Effect from "effect/Effect"
import { retryRejected } from "../../rows/Results.ts"
import { status } from "../../rows/State.ts"
import * as ChosenRows from "../ChosenRows.ts"
import { confirm, requireTerminal } from "../Confirm.ts"
import { exitCodes } from "../ExitCodes.ts"
import { CannotRun } from "../Failure.ts"
import type * as Flags from "../Flags.ts"
import * as Journal from "../Journal.ts"
import { counted } from "../../report/Format.ts"
import { note, report, table } from "../Output.ts"
import { withJournal } from "../Services.ts"
import type { CampaignInput } from "./State.ts"

type RetryFlags = typeof Flags.chosen & typeof Flags.retried & typeof Flags.yes

/** How many rows each reason has, the most frequent first. */
const byReason = (
  rows: ReadonlyArray<ChosenRows.ChosenRow>
): ReadonlyArray<readonly [string, number]> => {
  const counts = new Map<string, number>()
  for (const { info = "no reason was recorded" } of rows) {
    counts.set(info, (counts.get(info) ?? 0) + 1)
  }
  return [...counts].toSorted(([, one], [, other]) => other - one)
}

const kind = "a rejected row"

const cancelled = (campaign: string) =>
  new CannotRun({
    problem: `Campaign ${JSON.stringify(campaign)} is cancelled, and its rows are not sent again: send them as another campaign`
  })

export const retry = Effect.fnUntraced(function* (input: CampaignInput & Values<RetryFlags>) {
  const { campaign, rejected, yes } = input
  if (!rejected) {
    return yield* new UsageError({
      problem:
        "retry takes up rejected rows: give --rejected. A row of unknown outcome may have gone out: use resolve-unknown --as resend"
    })
  }
  if (!yes) yield* requireTerminal("nothing was changed")
  const chosen = yield* ChosenRows.make(input)
  const location = yield* Journal.choose(input.journal)
  return yield* withJournal(
    input,
    Effect.gen(function* () {
      if ((yield* status(campaign)).state === "cancelled") return yield* cancelled(campaign)
      const rows = yield* ChosenRows.read(chosen, campaign, "rejected")
      if (rows.length === 0) {
        yield* report({ event: "Retried", rows: 0, refused: 0 })
        yield* note("No rejected row was chosen, and nothing was changed")
        return (yield* ChosenRows.noteUnused(chosen, rows, kind))
          ? exitCodes.failed
          : exitCodes.done
      }
      const reasons = byReason(rows)
      yield* report(
        { event: "Rejected", rows: rows.length, reasons: Object.fromEntries(reasons) },
        `Rejected:\n${table(reasons)}`
      )
      if (!yes && !(yield* confirm(`Take ${counted(rows.length, "row")} up again?`))) {
        yield* note("Nothing was changed")
        return exitCodes.failed
      }
      const { refused, rows: changed } = yield* retryRejected(campaign, {
        keys: rows.map(({ key }) => key)
      })
      yield* report(
        { event: "Retried", rows: changed, refused: refused.length },
        `${counted(changed, "row")} pending again`
      )
      yield* ChosenRows.noteRefused(refused.length)
      if (changed > 0) yield* note(`Send them: ${Journal.lineOf(location, "resume", campaign)}`)
      const isUnused = yield* ChosenRows.noteUnused(chosen, rows, kind)
      return isUnused || refused.length > 0 ? exitCodes.failed : exitCodes.done
    })
  )
})
