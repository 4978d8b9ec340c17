/**
 * `status`, `pause`, `cancel`: commands on a whole campaign.
 */
import type { Values } from "@messaging-topup/sandbox/command-line"
import { CampaignJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as LocalTime from "../../report/LocalTime.ts"
import * as State from "../../rows/State.ts"
import { confirm, requireTerminal } from "../Confirm.ts"
import { codeOf, exitCodes } from "../ExitCodes.ts"
import type * as Flags from "../Flags.ts"
import { zoneOf } from "../Options.ts"
import { numberOf } from "../../report/Format.ts"
import { note, report, withoutZeros } from "../Output.ts"
import { type JournalFlags, withJournal, withJournalToRead } from "../Services.ts"
import { tableOf } from "../StatusTable.ts"

export interface CampaignInput extends JournalFlags, Values<typeof Flags.campaign> {}

const inFlight =
  "In flight: a process sends these rows, or was killed. If it was killed, they may have gone out: resume makes them unknown"

const show = Effect.fnUntraced(function* (campaign: string) {
  const { counts, state } = yield* State.status(campaign)
  yield* report(
    { event: "Status", campaign, state, counts },
    [
      `${campaign}: ${State.shownState(state, counts)}`,
      tableOf(counts),
      ...(counts.attempting > 0 ? [inFlight] : [])
    ].join("\n")
  )
  return codeOf({ counts, state }, 0)
})

export const status = (input: CampaignInput) => withJournalToRead(input, show(input.campaign))

export const pause = (input: CampaignInput) =>
  withJournal(
    input,
    Effect.gen(function* () {
      const state = yield* State.pause(input.campaign)
      yield* show(input.campaign)
      if (state === "paused") return exitCodes.done
      yield* note("The campaign is cancelled, and cannot be paused")
      return exitCodes.failed
    })
  )

/** Every campaign of the journal, with its counts. */
export const list = Effect.fnUntraced(function* (input: JournalFlags & Values<typeof Flags.zone>) {
  const zone = yield* zoneOf(input)
  return yield* withJournalToRead(
    input,
    Effect.gen(function* () {
      const campaigns = yield* Effect.flatMap(CampaignJournal, ({ list: all }) => all)
      const width = Math.max(0, ...campaigns.map(({ campaign }) => campaign.length))
      for (const { campaign, counts, first, last, state } of campaigns) {
        const times = [first, last].map((time) =>
          time === undefined ? undefined : LocalTime.utc(time)
        )
        const countTexts = withoutZeros(Object.entries(counts)).map(
          ([name, count]) => `${name} ${numberOf(count)}`
        )
        yield* report(
          { event: "Campaign", campaign, state, counts, first: times[0], last: times[1] },
          `${campaign.padEnd(width)}  ${State.shownState(state, counts).padEnd(9)}  ${last === undefined ? "" : LocalTime.second(last, zone)}  ${countTexts.join(", ")}`
        )
      }
      return exitCodes.done
    })
  )
})

export const cancel = (input: CampaignInput & Values<typeof Flags.yes>) =>
  withJournal(
    input,
    Effect.gen(function* () {
      if (!input.yes) {
        yield* requireTerminal("nothing was cancelled")
        yield* show(input.campaign)
        if (!(yield* confirm("Cancel it permanently? Its pending rows are never sent."))) {
          yield* note("Nothing was cancelled")
          return exitCodes.failed
        }
      }
      yield* State.cancel(input.campaign)
      yield* show(input.campaign)
      return exitCodes.done
    })
  )
