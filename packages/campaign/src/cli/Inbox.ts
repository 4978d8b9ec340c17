/**
 * What a person can see of a sandbox after a campaign was sent to it: its inbox, and the rows that met a
 * forced outcome.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { results } from "../rows/Results.ts"
import { Invocation } from "./Invocation.ts"
import { counted, note, report } from "./Output.ts"

export class Inbox extends Context.Service<
  Inbox,
  {
    /** The address; undefined for the real service. */
    readonly url: string | undefined
  }
>()("@messaging-topup/campaign/cli/Inbox") {}

const fictional = /^\+1555\d*$/

/** Says how many rows met a forced outcome: without this, a trial seems to fail for no reason. */
export const reportForced = Effect.fnUntraced(function* (campaign: string) {
  const { url } = yield* Inbox
  if (url === undefined) return
  const { forcedOutcomes } = yield* Effect.promise(() => import("@messaging-topup/sandbox"))
  const endings = new Set<string>()
  let rows = 0
  yield* Stream.runForEach(results(campaign), ({ request, state }) =>
    Effect.sync(() => {
      const number = request.recipient.replaceAll(/[^+\d]/g, "")
      if (state === "pending" || !fictional.test(number)) return
      const outcome = forcedOutcomes.find(({ suffix }) => number.endsWith(suffix))
      if (outcome === undefined) return
      rows++
      endings.add(outcome.suffix)
    })
  )
  if (rows === 0) return
  const sorted = Array.from(endings).toSorted()
  yield* report({ event: "Forced", rows, endings: sorted })
  yield* note(
    `${counted(rows, "row")} met a forced outcome of the sandbox: numbers +1555… that end in ${sorted.join(", ")}`
  )
})

/** Keeps the inbox open for a person. A script must end. */
export const stayOpen = Effect.gen(function* () {
  const { url } = yield* Inbox
  const { stderr, stdin } = yield* Invocation
  if (url === undefined || stdin.isTTY !== true || stderr.isTTY !== true) return
  yield* note(`The inbox stays open until Ctrl-C: ${url}`)
  yield* Effect.never
})
