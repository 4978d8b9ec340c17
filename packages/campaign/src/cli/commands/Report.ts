/**
 * `report`: writes a page of HTML for people.
 */
import type { SendJournal } from "@messaging-topup/journal"
import * as Clock from "effect/Clock"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { page } from "../../report/Page.ts"
import * as Summary from "../../report/Summary.ts"
import { exitCodes } from "../ExitCodes.ts"
import { type Failure, makeProblems } from "../Failure.ts"
import type { ReportFlags } from "../Flags.ts"
import type { Invocation } from "../Invocation.ts"
import * as Journal from "../Journal.ts"
import * as List from "../List.ts"
import { report as printResult } from "../Output.ts"
import * as Plan from "../Plan.ts"
import { requireTarget, writer } from "../PrivateFile.ts"
import { campaignOf, zoneOf } from "../Settings.ts"

const fileCounts = Effect.fnUntraced(function* (list: List.List, campaign: string) {
  const plan = yield* Plan.make(list, {
    campaign,
    lists: false,
    retryRejected: false
  })
  const { excluded, invalid, over_limit } = plan.totals
  const counts: Summary.FileCounts = {
    waiting: plan.states.free,
    impossible: invalid + excluded + over_limit + plan.states.changed
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
  const writePage = yield* writer(out)
  yield* writePage(page({ campaign, madeAt, summary }).trimEnd())
  if (out !== undefined) {
    yield* printResult({ event: "Report", campaign, file: out }, `${out}: open it in a browser`)
  }
  return exitCodes.done
}, Effect.scoped)

export const report = (flags: ReportFlags): Effect.Effect<number, Failure, Invocation> =>
  Effect.gen(function* () {
    const problems = makeProblems()
    const { check } = problems
    const { file, out } = flags
    yield* check(requireTarget(out, "report.html"))
    const campaign = yield* check(campaignOf(flags))
    const zone = yield* check(zoneOf(flags))
    const list = file === undefined ? undefined : yield* List.make({ ...flags, file }, problems)
    yield* problems.end
    if (campaign === undefined || zone === undefined) return exitCodes.usage
    const writing: Effect.Effect<number, Failure, Invocation | SendJournal> = write(
      campaign,
      zone,
      list,
      out
    )
    return yield* Journal.withCampaign(flags, campaign, writing)
  }).pipe(Effect.scoped)
