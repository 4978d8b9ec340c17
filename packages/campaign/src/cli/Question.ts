/**
 * What a person sees before the rows of a file are sent.
 */
import * as Effect from "effect/Effect"
import { counted, numberOf } from "../text/Format.ts"
import { type List, noteEncoding, noteExamples, reportTotals } from "./List.ts"
import { note, report, table, withoutZeros } from "./Output.ts"
import type { Plan } from "./Plan.ts"
import { sandboxPrefix } from "./Settings.ts"

/** Shows what would be sent, or is. */
export const reportPlan = Effect.fnUntraced(function* (
  list: List,
  plan: Plan,
  showsTexts: boolean
) {
  const { again, segments, states, texts } = plan
  const { changed, closed, free: toSend, "in-flight": inFlight, rejected, sent, unknown } = states
  yield* reportTotals(list, plan.totals)
  yield* report(
    {
      event: "Compared",
      to_send: toSend,
      segments,
      sent,
      rejected,
      unknown,
      closed,
      in_flight: inFlight,
      changed,
      recipients_of_this_campaign: again
    },
    `By the journal:\n${table([
      ["to send", toSend],
      ["segments to send", segments],
      ["sent already", sent],
      ...withoutZeros([
        ["unknown, not sent again", unknown],
        ["rejected, sent again with --retry rejected", rejected],
        ["not sent, as a person decided", closed],
        ["in flight in another process", inFlight],
        ["changed, not sent", changed],
        ["recipients with another SMS of this campaign", again]
      ])
    ])}`
  )
  yield* noteEncoding(list, showsTexts ? texts : [])
  if (!showsTexts || toSend === 0) return
  yield* note("The first texts:")
  yield* noteExamples(texts)
})

export const questionOf = (campaign: string, { again, states }: Plan): string => {
  const target = campaign.startsWith(sandboxPrefix) ? " to the sandbox" : ""
  const second = again === 0 ? "" : ` ${counted(again, "recipient")} get another one.`
  return `Send ${numberOf(states.free)} SMS${target}?${second}`
}
