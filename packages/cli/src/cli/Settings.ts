/** What the options of the commands say, and all of them together for `run`. */
import type { UsageError } from "@messaging-topup/command"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { basename, extname } from "node:path"
import { checked, QuietHours } from "@messaging-topup/journal/internal"
import { requireTerminal } from "./Confirm.ts"
import { allOf, refuse } from "./Failure.ts"
import type { PruneFlags, ReportFlags, RunFlags } from "./Flags.ts"
import * as Journal from "./Journal.ts"
import * as List from "./List.ts"

/** Returns the zone of the times that are shown. */
export const zoneOf = ({
  timeZone
}: Pick<ReportFlags, "timeZone">): Effect.Effect<DateTime.TimeZone, UsageError> => {
  if (timeZone === undefined) return Effect.sync(DateTime.zoneMakeLocal)
  return Effect.catch(Effect.fromOption(DateTime.zoneMakeNamed(timeZone)), () =>
    refuse("--time-zone: give a name of the IANA database, such as Africa/Nairobi")
  )
}

const quietHoursOf = Effect.fnUntraced(function* ({ quietHours: hours, timeZone }: RunFlags) {
  if (hours === undefined) return undefined
  if (timeZone === undefined) {
    // This machine may be in another zone than the recipients.
    return yield* refuse(
      "--quiet-hours needs the zone of the recipients, such as --quiet-hours 21:00-08:00 --time-zone Africa/Nairobi"
    )
  }
  const [from = "", to = "", ...rest] = hours.split("-")
  if (to === "" || rest.length > 0) {
    return yield* refuse("--quiet-hours: give two times, such as 21:00-08:00")
  }
  const quietHours = { from, to, timeZone }
  yield* QuietHours.make(quietHours)
  return quietHours
})

/** A campaign of its own, so that rows sent to a sandbox do not count as sent. */
export const sandboxPrefix = "sandbox:"

const trialPrefix = "trial:"

/** Whether what a campaign sends counts for nothing else. */
export const isTrial = (campaign: string): boolean =>
  campaign.startsWith(sandboxPrefix) || campaign.startsWith(trialPrefix)

type Named = Pick<PruneFlags, "campaign" | "file"> & Partial<Pick<RunFlags, "sandbox" | "to">>

/** Returns the name of the campaign: that of the file, if none is given. */
export const campaignOf = ({
  campaign,
  file,
  sandbox = false,
  to
}: Named): Effect.Effect<string, UsageError> => {
  const prefix = `${sandbox ? sandboxPrefix : ""}${to === undefined ? "" : trialPrefix}`
  if (campaign !== undefined) {
    return Effect.succeed(campaign.startsWith(prefix) ? campaign : prefix + campaign)
  }
  if (file === undefined) return refuse("Give the file, or the name with --campaign")
  return file === "-"
    ? refuse("The rows come from stdin, which has no name for the campaign: give --campaign")
    : Effect.succeed(prefix + basename(file, extname(file)))
}

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
export const settingsOf = (flags: RunFlags) =>
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

export type Settings = Effect.Success<ReturnType<typeof settingsOf>>
