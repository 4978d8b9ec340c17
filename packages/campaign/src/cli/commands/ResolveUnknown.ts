/**
 * `resolve-unknown`: applies a person's decision to rows of unknown outcome.
 */
import type { Decision } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import { resolveUnknown as resolve } from "../../rows/Results.ts"
import { exitCodes } from "../ExitCodes.ts"
import { counted, note, report } from "../Output.ts"
import { withJournal } from "../Services.ts"
import type { CampaignInput } from "./State.ts"

export interface ResolveUnknownInput extends CampaignInput {
  readonly as: Decision
  /** The keys of the rows; all unknown rows if absent. */
  readonly key: ReadonlyArray<string> | undefined
}

export const resolveUnknown = ({ as, campaign, key, ...input }: ResolveUnknownInput) =>
  withJournal(
    input,
    Effect.gen(function* () {
      const resolved = yield* resolve(campaign, as, key === undefined ? {} : { keys: key })
      yield* report(
        { event: "Resolved", as, rows: resolved },
        as === "resend"
          ? `${counted(resolved, "row")} pending again: resume the campaign`
          : `${counted(resolved, "row")} now ${as}`
      )
      const left = key === undefined ? 0 : new Set(key).size - resolved
      if (left === 0) return exitCodes.done
      yield* note(`${counted(left, "key")} without a row of unknown outcome: nothing changed there`)
      return exitCodes.failed
    })
  )
