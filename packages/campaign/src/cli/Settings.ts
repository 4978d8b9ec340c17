/**
 * How the options say that rows are sent and shown.
 */
import type { UsageError } from "@messaging-topup/sandbox/command-line"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { basename, extname } from "node:path"
import * as QuietHours from "../sending/QuietHours.ts"
import { refuse } from "./Failure.ts"
import type { ReportFlags, RunFlags } from "./Flags.ts"

/** Returns the zone of the times that are shown. */
export const zoneOf = ({
  timeZone
}: Pick<ReportFlags, "timeZone">): Effect.Effect<DateTime.TimeZone, UsageError> => {
  if (timeZone === undefined) return Effect.sync(DateTime.zoneMakeLocal)
  return Effect.catch(Effect.fromOption(DateTime.zoneMakeNamed(timeZone)), () =>
    refuse("--time-zone: give a name of the IANA database, such as Africa/Nairobi")
  )
}

export const quietHoursOf = Effect.fnUntraced(function* ({
  quietHours: hours,
  timeZone
}: RunFlags) {
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

interface Named {
  readonly campaign: string | undefined
  readonly file?: string | undefined
  readonly sandbox?: boolean
  readonly to?: string | undefined
}

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
