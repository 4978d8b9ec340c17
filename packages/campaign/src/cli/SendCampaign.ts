/**
 * Sends the remaining rows of a campaign, and prints its progress and its result.
 */
import { documentedErrors } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CampaignEvent, Stop, StopReason } from "../sending/CampaignEvent.ts"
import { resume } from "../sending/Run.ts"
import * as LocalTime from "../report/LocalTime.ts"
import { type CampaignStatus, shownState, status } from "../rows/State.ts"
import { codeOf } from "./ExitCodes.ts"
import { reportForced, stayOpen } from "./Inbox.ts"
import { type JsonEvent, isTerminal, note, report } from "./Output.ts"
import * as Progress from "./Progress.ts"
import type { Prepared } from "./Services.ts"
import { tableOf } from "./StatusTable.ts"

const reasonText = (reason: StopReason): string => {
  if (reason === "FailuresInARow") {
    return "Paused: too many sends in a row were not accepted. See the failures, then resume"
  }
  if (reason === "NoConnection") {
    return "Paused: there was no connection to the service for five minutes. Check the network and MESSAGING_TOPUP_BASE_URL, then resume"
  }
  return reason === "NothingAccepted"
    ? "Paused: the first sends all failed in the same way. Check the settings, such as the address of the service, then resume"
    : `Paused. ${documentedErrors[reason].advice}`
}

export const stopText = ({ info, reason }: Stop): string =>
  info === undefined ? reasonText(reason) : `${reasonText(reason)}. The failure: ${info}`

/** Returns an event of the library as JSON, with the same names. */
export const jsonOf = (event: CampaignEvent): JsonEvent => {
  const { _tag, ...fields } = event
  if (event._tag === "Waiting") return { event: _tag, ...fields, until: LocalTime.utc(event.until) }
  if (event._tag === "JournalLost") return { event: _tag, problem: event.error.message }
  return { event: _tag, ...fields }
}

export interface SendOptions extends Prepared {
  /** Rows of the file that are not in the journal. */
  readonly invalid: number
}

/** Returns the exit code. */
export const sendCampaign = Effect.fnUntraced(function* ({
  id: campaign,
  invalid,
  lineOf,
  options,
  resumeLine,
  zone
}: SendOptions) {
  const tellResume = note(`Resume: ${resumeLine}`)

  const ended = Effect.fnUntraced(function* ({ counts, state }: CampaignStatus, event: string) {
    yield* report(
      { event, campaign, state, counts, invalid },
      [
        `${campaign}: ${shownState(state, counts)}`,
        tableOf(counts, invalid),
        ...(counts.rejected + counts.unknown > 0 ? [`Failures: ${lineOf("failures")}`] : []),
        `Report: ${lineOf("report", "--out", "report.html")}`
      ].join("\n")
    )
    return codeOf({ counts, state }, invalid)
  })

  /** Runs after the requests in flight have ended. */
  const interrupted = Effect.gen(function* () {
    yield* Effect.ignore(Effect.flatMap(status(campaign), (now) => ended(now, "Interrupted")))
    yield* note("Stopped. The requests in flight have ended, and their outcomes are in the journal")
    yield* tellResume
  })

  const events = Effect.scoped(
    Effect.gen(function* () {
      const { counts } = yield* status(campaign)
      const progress = yield* Progress.make(counts.pending + counts.attempting, zone)
      const isForPerson = yield* isTerminal
      let last: CampaignStatus | undefined
      let stopped: Stop | undefined
      yield* Stream.runForEach(
        resume(campaign, options),
        Effect.fnUntraced(function* (event: CampaignEvent) {
          if (event._tag === "Ended") last = event
          else if (!isForPerson) yield* report(jsonOf(event))
          if (event._tag === "Stopped") stopped = event
          yield* progress.update(event)
        })
      )
      return { last: last ?? (yield* status(campaign)), stopped }
    })
  )

  const { last, stopped } = yield* Effect.onInterrupt(events, () => interrupted)
  const forced = yield* reportForced(campaign)
  const code = yield* ended(last, "Ended")
  if (stopped !== undefined) yield* note(stopText(stopped))
  else if (last.state === "paused") yield* note("Paused")
  if (forced !== undefined) yield* note(forced)
  if (last.state === "paused") yield* tellResume
  return yield* stayOpen(code)
})
