/** `report`: writes a page of HTML for people. */
import * as Clock from "effect/Clock"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { page } from "../../report/Page.ts"
import * as Summary from "../../report/Summary.ts"
import { allOf, exitCodes, type Failure } from "../Failure.ts"
import type { ReportFlags } from "../Flags.ts"
import type { Invocation } from "../Invocation.ts"
import * as Journal from "../Journal.ts"
import * as List from "../List.ts"
import * as LiveLine from "../LiveLine.ts"
import { report as printResult } from "../Output.ts"
import { requireTarget, writeTo } from "../PrivateFile.ts"
import { rowOutcomes } from "../RowOutcome.ts"
import { campaignOf, zoneOf } from "../Settings.ts"

const fileCounts = Effect.fnUntraced(function* (list: List.List, campaign: string) {
  const counts = { waiting: 0, impossible: 0, known: 0 }
  const countRead = yield* LiveLine.counter(`rows of ${list.source.name} read`)
  yield* Stream.runForEachArray(rowOutcomes(list, campaign), (found) =>
    Effect.sync(() => {
      countRead(found.length)
      for (const { is } of found) counts[is]++
    })
  )
  return counts
}, Effect.scoped)

const write = Effect.fnUntraced(function* (
  campaign: string,
  zone: DateTime.TimeZone,
  list: List.List | undefined,
  out: string | undefined
) {
  const file = list === undefined ? undefined : yield* fileCounts(list, campaign)
  const summary = yield* Summary.make(campaign, zone, file)
  const madeAt = yield* Clock.currentTimeMillis
  const text = page({ campaign, madeAt, summary }).trimEnd()
  yield* writeTo(out, (writePage) => writePage(text))
  if (out !== undefined) {
    yield* printResult({ event: "Report", campaign, file: out }, `${out}: open it in a browser`)
  }
  return exitCodes.done
})

export const report = Effect.fnUntraced(function* (
  flags: ReportFlags
): Effect.fn.Return<number, Failure, Invocation> {
  const { campaign, list, zone } = yield* allOf({
    target: requireTarget(flags, "report.html"),
    campaign: campaignOf(flags),
    zone: zoneOf(flags),
    list: List.makeIfGiven(flags)
  })
  return yield* Journal.withCampaign(flags, campaign, write(campaign, zone, list, flags.out), list)
})
