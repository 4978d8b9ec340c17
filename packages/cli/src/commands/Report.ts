/** `report`: writes a page of HTML for people. */
import { counter, exitCodes, type Values } from "@messaging-topup/command"
import * as Clock from "effect/Clock"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { stoppable } from "../CommandFile.ts"
import { tell } from "../Events.ts"
import { allOf } from "../CommandError.ts"
import * as List from "../input/List.ts"
import * as Campaign from "../journal/Campaign.ts"
import * as ChosenJournal from "../journal/ChosenJournal.ts"
import { page } from "../report/Page.ts"
import * as Summary from "../report/Summary.ts"
import { out, requireTarget, writeTo } from "../results/PrivateFile.ts"
import { rowOutcomes } from "../results/RowOutcome.ts"
import * as LocalTime from "../words/LocalTime.ts"

const options = {
  ...List.fileIfAny,
  ...out,
  ...LocalTime.zoned,
  ...List.reading,
  ...Campaign.named,
  ...ChosenJournal.common
}

type Flags = Values<typeof options>

const fileCounts = Effect.fnUntraced(function* (list: List.List, campaign: string) {
  const counts = { waiting: 0, repeated: 0, impossible: 0, excluded: 0, known: 0 }
  const countRead = yield* counter(`rows of ${list.name} read`)
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
  flags: Flags
) {
  const target = flags.out
  const file = list === undefined ? undefined : yield* fileCounts(list, campaign)
  const summary = yield* Summary.make(campaign, zone, file)
  const madeAt = yield* Clock.currentTimeMillis
  const inJournal = yield* ChosenJournal.argumentsFor(flags)
  const text = page({ campaign, madeAt, inJournal, summary }).trimEnd()
  yield* writeTo(target, (writePage) => writePage(text))
  if (target !== undefined) {
    yield* tell({ event: "Report", campaign, file: target }, `${target}: open it in a browser`)
  }
  return exitCodes.done
})

const report = Effect.fnUntraced(function* (flags: Flags) {
  const { campaign, list, zone } = yield* allOf({
    target: requireTarget(flags, {
      command: "report",
      example: "report.html",
      mark: /^<!doctype html>/
    }),
    campaign: Campaign.nameOf(flags),
    zone: LocalTime.zoneOf(flags.timeZone),
    list: List.makeIfGiven(flags, ChosenJournal.argumentsLacking(flags))
  })
  const written = ChosenJournal.reading(write(campaign, zone, list, flags))
  return yield* ChosenJournal.withCampaign({ campaign, flags, list }, "reads", written)
})

export const command = stoppable<Flags>({
  usage: "[list.csv] [options]",
  details:
    "It has counts, outcomes over time, reasons, and the rows of unknown outcome. With the file, it also says how many rows could not be sent. The page makes no network request",
  options,
  run: report
})
