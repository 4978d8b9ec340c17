/** `prune`: deletes what the journal knows of a campaign, or old sends of the MCP server and of programs. */
import { counted, duration, exitCodes, on, refuse, type Values } from "@messaging-topup/command"
import { SendJournal } from "@messaging-topup/journal/internal"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { agreed, stoppable } from "../CommandFile.ts"
import { tell } from "../Events.ts"
import { cannotRun, requireTerminal } from "../CommandError.ts"
import * as List from "../input/List.ts"
import * as Campaign from "../journal/Campaign.ts"
import * as ChosenJournal from "../journal/ChosenJournal.ts"

const options = {
  ...List.fileIfAny,
  olderThan: duration(
    { minimum: "0 seconds", maximum: "36500 days" },
    "Instead of a campaign: sends of the MCP server and of programs to which nothing happened for so long, such as 90 days"
  ),
  unknown: on("Also what has an unknown outcome, and may have gone out"),
  yes: on("Skips the question"),
  ...Campaign.named,
  ...ChosenJournal.common
}

type Flags = Values<typeof options>

const kept = "Nothing was deleted"

const undecided =
  "Rows of the campaign are in flight, or their outcome is unknown, and nothing was deleted: decide about them with resolve, or give --unknown"

const pruneCampaign = Effect.fnUntraced(function* (campaign: string, flags: Flags) {
  const journal = yield* SendJournal
  const counts = yield* journal.campaigns.counts(campaign)
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const question = `Delete the outcomes of ${counted(all, "row")} of ${JSON.stringify(campaign)}? Nobody can find out then who got an SMS.`
  if (!(yield* agreed(question, flags, kept))) return exitCodes.failed
  const rows = yield* journal
    .prune({ campaign, unknown: flags.unknown })
    .pipe(Effect.catchTag("CampaignUndecided", () => cannotRun(undecided)))
  yield* tell({ event: "Pruned", campaign, rows }, `${campaign}: ${counted(rows, "row")} deleted`)
  return exitCodes.done
})

const pruneOld = Effect.fnUntraced(function* (olderThan: Duration.Duration, flags: Flags) {
  const journal = yield* SendJournal
  const also = flags.unknown ? ", also what may have gone out" : ""
  const question = `Delete old sends? A program that uses a deleted key again sends again${also}.`
  if (!(yield* agreed(question, flags, kept))) return exitCodes.failed
  const what = { olderThan, unknown: flags.unknown }
  const owners = ["program", "server"] as const
  const deleted = yield* Effect.forEach(owners, (owner) => journal.prune(what, owner)).pipe(
    Effect.catchTag("CampaignUndecided", Effect.die)
  )
  const sends = deleted.reduce((sum, count) => sum + count, 0)
  yield* tell({ event: "Pruned", sends }, `${counted(sends, "send")} deleted`)
  return exitCodes.done
})

const prune = Effect.fnUntraced(function* (flags: Flags) {
  const { campaign: name, file, olderThan, yes } = flags
  if (olderThan !== undefined && (file ?? name) !== undefined) {
    return yield* refuse("Give a campaign, or --older-than for the other sends")
  }
  if (!yes) yield* requireTerminal("nothing was deleted")
  if (olderThan !== undefined) return yield* ChosenJournal.opened(flags, pruneOld(olderThan, flags))
  const campaign = yield* Campaign.nameOf(flags)
  const named = { campaign, flags, list: undefined }
  return yield* ChosenJournal.withCampaign(named, "changes", pruneCampaign(campaign, flags))
})

export const command = stoppable<Flags>({
  usage: "list.csv | --older-than <duration> [options]",
  details:
    "The name of a campaign stays, and running it again is refused. A program that uses a deleted key again sends again",
  options,
  run: prune
})
