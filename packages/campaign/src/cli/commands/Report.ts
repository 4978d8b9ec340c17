/**
 * `report`: writes a page of HTML for people.
 */
import * as Clock from "effect/Clock"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { page } from "../../report/Page.ts"
import * as Summary from "../../report/Summary.ts"
import { exitCodes } from "../ExitCodes.ts"
import { allOf, type Failure } from "../Failure.ts"
import type { ReportFlags } from "../Flags.ts"
import type { Invocation } from "../Invocation.ts"
import * as Journal from "../Journal.ts"
import * as List from "../List.ts"
import { report as printResult } from "../Output.ts"
import * as Plan from "../Plan.ts"
import { requireTarget, writeTo } from "../PrivateFile.ts"
import { campaignOf, zoneOf } from "../Settings.ts"

const fileCounts = Effect.fnUntraced(function* (list: List.List, campaign: string) {
  const plan = yield* Plan.make(list, {
    campaign,
    lists: false,
    retryRejected: false
  })
  const { invalid, skipped, states } = plan
  const counts: Summary.FileCounts = {
    waiting: states.free,
    impossible: invalid + skipped.excluded + skipped["over the limit"] + states.changed
  }
  return counts
})

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
