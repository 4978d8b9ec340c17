/**
 * All that the options of `run` say.
 */
import * as Effect from "effect/Effect"
import { checked } from "../sending/SendManyOptions.ts"
import { requireTerminal } from "./Confirm.ts"
import { allOf, refuse } from "./Failure.ts"
import type { RunFlags } from "./Flags.ts"
import * as Journal from "./Journal.ts"
import * as List from "./List.ts"
import { campaignOf, quietHoursOf, sandboxPrefix, zoneOf } from "./Settings.ts"

const requirePerson = (flags: RunFlags) => {
  if (flags.yes || flags.dryRun) return Effect.void
  return List.isStdin(flags)
    ? refuse(
        "The rows come from stdin, so nobody can answer a question: give --yes to skip the question"
      )
    : requireTerminal("nothing was sent")
}

const ownCampaignOf = (flags: RunFlags) =>
  Effect.flatMap(campaignOf(flags), (campaign) =>
    !flags.sandbox && campaign.startsWith(sandboxPrefix)
      ? refuse(`--campaign: an id that begins with ${sandboxPrefix} needs --sandbox`)
      : Effect.succeed(campaign)
  )

const retryOf = ({ retry }: RunFlags) =>
  retry === undefined || retry === "rejected"
    ? Effect.succeed(retry !== undefined)
    : refuse(
        "--retry: give rejected. Rows of unknown outcome may have gone out: see resolve --help"
      )

/** What the options say: nothing is stored if one of them is wrong. */
export const prepare = (flags: RunFlags) =>
  allOf({
    person: requirePerson(flags),
    campaign: ownCampaignOf(flags),
    retryRejected: retryOf(flags),
    rates: checked(flags),
    quietHours: quietHoursOf(flags),
    zone: zoneOf(flags),
    location: Journal.choose(flags),
    list: List.make(flags)
  })

export type Prepared = Effect.Success<ReturnType<typeof prepare>>
