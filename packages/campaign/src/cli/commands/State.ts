/**
 * `status`, `pause`, `cancel`: commands on a whole campaign.
 */
import * as Effect from "effect/Effect"
import * as State from "../../rows/State.ts"
import { confirm, requireTerminal } from "../Confirm.ts"
import { codeOf, exitCodes } from "../ExitCodes.ts"
import { note, report } from "../Output.ts"
import { type JournalFlags, withJournal, withJournalToRead } from "../Services.ts"
import { tableOf } from "../StatusTable.ts"

export interface CampaignInput extends JournalFlags {
  readonly campaign: string
}

const show = Effect.fnUntraced(function* (campaign: string) {
  const { counts, state } = yield* State.status(campaign)
  yield* report(
    { event: "Status", campaign, state, counts },
    `${campaign}: ${state}\n${tableOf(counts)}`
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

export interface CancelInput extends CampaignInput {
  readonly yes: boolean
}

export const cancel = (input: CancelInput) =>
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
