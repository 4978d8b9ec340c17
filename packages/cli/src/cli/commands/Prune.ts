/** `prune`: deletes what the journal knows of a campaign. */
import { SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import { counted } from "../../text/Format.ts"
import { confirm, requireTerminal } from "../Confirm.ts"
import { cannotRun, exitCodes, type Failure } from "../Failure.ts"
import type { PruneFlags } from "../Flags.ts"
import type { Invocation } from "../Invocation.ts"
import * as Journal from "../Journal.ts"
import { note, report } from "../Output.ts"
import { campaignOf } from "../Settings.ts"

/** Returns whether a person agrees. */
const isWanted = Effect.fnUntraced(function* (campaign: string) {
  const { campaigns } = yield* SendJournal
  const counts = yield* campaigns.counts(campaign)
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return yield* confirm(
    `Delete the outcomes of ${counted(all, "row")} of ${JSON.stringify(campaign)}? Nobody can find out then who got an SMS.`
  )
})

const refused =
  "Rows of the campaign are in flight, or their outcome is unknown, and nothing was deleted: decide about them with resolve, or give --unknown"

export const prune = Effect.fnUntraced(function* (
  flags: PruneFlags
): Effect.fn.Return<number, Failure, Invocation> {
  if (!flags.yes) yield* requireTerminal("nothing was deleted")
  const campaign = yield* campaignOf(flags)
  const pruning = Effect.gen(function* () {
    if (!flags.yes && !(yield* isWanted(campaign))) {
      yield* note("Nothing was deleted")
      return exitCodes.failed
    }
    const journal = yield* SendJournal
    const sends = yield* journal
      .prune({ campaign, unknown: flags.unknown })
      .pipe(Effect.catchTag("CampaignUndecided", () => cannotRun(refused)))
    yield* report(
      { event: "Pruned", campaign, rows: sends },
      `${campaign}: ${counted(sends, "row")} deleted`
    )
    return exitCodes.done
  })
  return yield* Journal.withCampaign(flags, campaign, pruning)
})
