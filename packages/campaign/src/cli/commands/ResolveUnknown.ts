/**
 * `resolve-unknown`: applies a person's decision to rows of unknown outcome.
 */
import type { Values } from "@messaging-topup/sandbox/command-line"
import * as Effect from "effect/Effect"
import { resolveUnknown as resolve } from "../../rows/Results.ts"
import { status } from "../../rows/State.ts"
import * as ChosenRows from "../ChosenRows.ts"
import { confirm, requireTerminal } from "../Confirm.ts"
import { exitCodes } from "../ExitCodes.ts"
import type * as Flags from "../Flags.ts"
import * as Journal from "../Journal.ts"
import { counted } from "../../report/Format.ts"
import { note, report } from "../Output.ts"
import { withJournal } from "../Services.ts"
import type { CampaignInput } from "./State.ts"

type ResolveFlags = typeof Flags.chosen & typeof Flags.decision & typeof Flags.yes

const question = (count: number): string =>
  `Resend ${counted(count, "row")} of unknown outcome? They may have gone out: their recipients may get a second SMS.`

export const resolveUnknown = Effect.fnUntraced(function* (
  input: CampaignInput & Values<ResolveFlags>
) {
  const { as, campaign, yes } = input
  const asks = as === "resend" && !yes
  if (asks) yield* requireTerminal("nothing was changed")
  const chosen = yield* ChosenRows.make(input)
  const location = yield* Journal.choose(input.journal)
  return yield* withJournal(
    input,
    Effect.gen(function* () {
      // Fails if the campaign does not exist.
      yield* status(campaign)
      const rows = yield* ChosenRows.read(chosen, campaign, "unknown")
      if (asks && rows.length > 0 && !(yield* confirm(question(rows.length)))) {
        yield* note("Nothing was changed")
        return exitCodes.failed
      }
      const { refused, rows: resolved } = yield* resolve(campaign, as, {
        keys: rows.map(({ key }) => key)
      })
      yield* report(
        { event: "Resolved", as, rows: resolved, refused: refused.length },
        `${counted(resolved, "row")} ${as === "resend" ? "pending again" : `now ${as}`}`
      )
      yield* ChosenRows.noteRefused(refused.length)
      if (as === "resend" && resolved > 0) {
        yield* note(`Send them: ${Journal.lineOf(location, "resume", campaign)}`)
      }
      const isUnused = yield* ChosenRows.noteUnused(chosen, rows, "a row of unknown outcome")
      return isUnused || refused.length > 0 ? exitCodes.failed : exitCodes.done
    })
  )
})
