/**
 * What a person can see of a sandbox after a campaign was sent to it: its inbox, and the rows that met a
 * forced outcome.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { results } from "../rows/Results.ts"
import { Invocation } from "./Invocation.ts"
import { counted } from "../report/Format.ts"
import { report } from "./Output.ts"
import * as Signals from "./Signals.ts"

export class Inbox extends Context.Service<
  Inbox,
  {
    /** The address; undefined for the real service. */
    readonly url: string | undefined
  }
>()("@messaging-topup/campaign/cli/Inbox") {}

/**
 * Reports how many rows met a forced outcome, and returns a text about them: without it, a trial seems to
 * fail for no reason.
 */
export const reportForced = Effect.fnUntraced(function* (campaign: string) {
  const { url } = yield* Inbox
  if (url === undefined) return undefined
  const { forcedOutcomeOf } = yield* Effect.promise(() => import("@messaging-topup/sandbox"))
  const endings = new Set<string>()
  let rows = 0
  yield* Stream.runForEach(results(campaign), ({ info, request, state }) =>
    Effect.sync(() => {
      // A pending row with a reason was refused: it paused the campaign.
      if (state === "pending" && info === undefined) return
      const outcome = forcedOutcomeOf(request.recipient)
      if (outcome === undefined) return
      rows++
      endings.add(outcome.suffix)
    })
  )
  if (rows === 0) return undefined
  const sorted = Array.from(endings).toSorted()
  yield* report({ event: "Forced", rows, endings: sorted })
  return `${counted(rows, "row")} met a forced outcome of the sandbox: numbers +1555… that end in ${sorted.join(", ")}. It accepts all other numbers`
})

/**
 * Keeps the inbox open for a person, until Ctrl-C. A script must end. Then the command ends with this code.
 */
export const stayOpen = Effect.fnUntraced(function* (code: number) {
  const { url } = yield* Inbox
  const { stderr, stdin } = yield* Invocation
  if (url === undefined || stdin.isTTY !== true || stderr.isTTY !== true) return code
  return yield* Signals.waitAtEnd(code, `The inbox stays open until Ctrl-C: ${url}`)
})
