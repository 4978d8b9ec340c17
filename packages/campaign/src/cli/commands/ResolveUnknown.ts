/**
 * `resolve-unknown`: a person's decision on rows of unknown outcome.
 */
import type { Decision } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import { resolveUnknown as resolve } from "../../Results.ts"
import { exitCodes } from "../ExitCodes.ts"
import { counted, note, report } from "../Output.ts"
import { withJournal } from "../Services.ts"
import type { CampaignInput } from "./State.ts"

export interface ResolveUnknownInput extends CampaignInput {
  readonly as: Decision
  /** Empty: all of them. */
  readonly key: ReadonlyArray<string>
}

export const resolveUnknown = ({ as, campaign, key, ...input }: ResolveUnknownInput) =>
  withJournal(
    input,
    Effect.gen(function* () {
      const resolved = yield* resolve(campaign, as, key.length === 0 ? {} : { keys: key })
      yield* report(
        { event: "Resolved", as, rows: resolved },
        as === "resend"
          ? `${counted(resolved, "row")} to be sent once more: resume the campaign`
          : `${counted(resolved, "row")} ${as} from now on`
      )
      const left = new Set(key).size - resolved
      if (key.length === 0 || left === 0) return exitCodes.done
      yield* note(`${counted(left, "key")} of no row of unknown outcome: nothing was changed there`)
      return exitCodes.failed
    })
  )
