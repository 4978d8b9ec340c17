/**
 * `prune`: deletes what the journal knows of a campaign.
 */
import { SendJournal } from "@messaging-topup/journal"
import type { Values } from "@messaging-topup/sandbox/command-line"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { counted } from "../../text/Format.ts"
import { confirm, requireTerminal } from "../Confirm.ts"
import { exitCodes } from "../ExitCodes.ts"
import { CannotRun, type Failure } from "../Failure.ts"
import type * as Flags from "../Flags.ts"
import type { Invocation } from "../Invocation.ts"
import * as Journal from "../Journal.ts"
import { note, report } from "../Output.ts"
import { campaignOf } from "../Settings.ts"

type PruneFlags = Values<
  typeof Flags.campaign &
    typeof Flags.fileIfAny &
    typeof Flags.journal &
    typeof Flags.unknown &
    typeof Flags.yes
>

const prunable = Effect.fnUntraced(function* (campaign: string, { unknown, yes }: PruneFlags) {
  yield* Journal.requireCampaign(campaign)
  const { campaigns } = yield* SendJournal
  const {
    "in-flight": inFlight,
    unknown: unresolved,
    ...others
  } = yield* campaigns.counts(campaign)
  if (inFlight > 0 || (unresolved > 0 && !unknown)) {
    return yield* Effect.fail(
      new CannotRun({
        problem:
          inFlight > 0
            ? "Rows of the campaign are in flight, and nothing was deleted"
            : `The outcome of ${counted(unresolved, "row")} is unknown, and nothing was deleted: decide about them with resolve, or give --unknown`
      })
    )
  }
  if (yes) return true
  const { closed, freed, rejected, sent } = others
  const count = sent + rejected + closed + freed + unresolved
  return yield* confirm(
    `Delete the outcomes of ${counted(count, "row")} of ${JSON.stringify(campaign)}? Nobody can find out then who got an SMS.`
  )
})

export const prune = Effect.fnUntraced(function* (
  flags: PruneFlags
): Effect.fn.Return<number, Failure, Invocation> {
  if (!flags.yes) yield* requireTerminal("nothing was deleted")
  const campaign = yield* campaignOf(flags)
  const pruning = Effect.gen(function* () {
    if (!(yield* prunable(campaign, flags))) {
      yield* note("Nothing was deleted")
      return exitCodes.failed
    }
    const { campaigns } = yield* SendJournal
    const { sends } = yield* campaigns.prune({
      campaign,
      olderThan: Duration.zero,
      unknown: flags.unknown
    })
    yield* report(
      { event: "Pruned", campaign, rows: sends },
      `${campaign}: ${counted(sends, "row")} deleted`
    )
    return exitCodes.done
  })
  return yield* Journal.withExisting(flags, false, pruning)
})
