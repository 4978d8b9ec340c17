/**
 * What a person sees before the rows of a file are sent.
 */
import type { CampaignJournal } from "@messaging-topup/journal"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { invalid, type ReadRow } from "../input/Row.ts"
import * as Totals from "../input/Totals.ts"
import * as LocalTime from "../report/LocalTime.ts"
import { rowsPerAppend } from "../rows/Lookup.ts"
import { confirm } from "./Confirm.ts"
import type { Failure } from "./Failure.ts"
import type { Invocation } from "./Invocation.ts"
import { conflict } from "./LoadRows.ts"
import { counted, numberOf } from "../report/Format.ts"
import { note, report, table, withoutZeros } from "./Output.ts"
import * as Plan from "./Plan.ts"
import * as RowsFile from "./RowsFile.ts"
import { sandboxPrefix } from "./Services.ts"

/** Reads the file, lists its invalid rows, and compares the others with the journal. */
const planOf = Effect.fnUntraced(function* (campaign: string, rowsFile: RowsFile.RowsFile) {
  const plan = yield* Plan.make(campaign)
  const texts = new Array<string>()
  const changed = new Array<Plan.Changed>()
  let waiting = new Array<ReadRow>()

  const compareWaiting = Effect.gen(function* () {
    const rows = waiting
    waiting = []
    const found = yield* plan.add(rows, ({ row }) => {
      if (texts.length < RowsFile.maxExamples) texts.push(row.request.message)
    })
    changed.push(...found)
  })

  const totals = yield* RowsFile.totalsOf(
    rowsFile,
    Effect.fnUntraced(function* (rows) {
      waiting.push(...rows)
      if (waiting.length >= rowsPerAppend) yield* compareWaiting
    })
  )
  yield* compareWaiting
  for (const { field, row } of changed) {
    totals.rows--
    totals.invalid++
    totals.segments -= Totals.segmentsOf(row)
    yield* RowsFile.listInvalid(
      rowsFile.source.name,
      totals.invalid,
      invalid(row.line, conflict, field)
    )
  }
  return { plan: yield* plan.end, texts, totals }
})

const dateOf = (millis: number, zone: DateTime.TimeZone): string => {
  const { day, offset } = LocalTime.partsOf(millis, zone)
  return `${day} (${offset})`
}

/** Shows what would be sent, or is. Returns how many SMS. */
export const reportPlan = Effect.fnUntraced(function* (
  { elsewhere, first, fresh, here, known, pending, segments }: Plan.Plan,
  { pricePerSegment }: RowsFile.RowsFile,
  totals: Totals.Totals,
  zone: DateTime.TimeZone
) {
  const price =
    pricePerSegment === undefined ? undefined : RowsFile.priceOf(segments, pricePerSegment)
  const since = first === undefined ? "" : `, since ${dateOf(first, zone)}`
  yield* report(
    {
      event: "Compared",
      new: fresh,
      ...known,
      pending,
      segments,
      ...(price === undefined ? {} : { price }),
      recipients_of_this_campaign: here,
      recipients_of_other_campaigns: elsewhere,
      ...(first === undefined ? {} : { since: LocalTime.utc(first) })
    },
    `Compared with the journal:\n${table([
      ["new", fresh],
      ["sent already", known.sent],
      ...withoutZeros([
        ["pending from an earlier run", pending],
        ["unknown, not sent again", known.unknown],
        ["in flight, or unknown since a crash", known.attempting],
        ["rejected, not sent again", known.rejected]
      ]),
      ...(segments === totals.segments ? [] : [["segments to send", segments] as const]),
      ...(segments === totals.segments || price === undefined ? [] : [["price", price] as const]),
      ...withoutZeros([["recipients with another SMS of this campaign", here]]),
      [`recipients with an SMS of other campaigns${since}`, elsewhere]
    ])}`
  )
  const count = fresh + pending
  if (count === 0) {
    yield* note("Nothing will be sent: the journal has every row of the file already")
  }
  return count
})

export interface Answer {
  readonly totals: Totals.Totals
  readonly answer: "approved" | "declined" | "nothing-to-send"
}

/** Shows what would be sent, and asks, unless nothing would be sent. */
export const ask = Effect.fnUntraced(function* (
  campaign: string,
  rowsFile: RowsFile.RowsFile,
  zone: DateTime.TimeZone
): Effect.fn.Return<Answer, Failure, CampaignJournal | Invocation> {
  const { plan, texts, totals } = yield* planOf(campaign, rowsFile)
  yield* RowsFile.reportTotals(rowsFile, totals)
  if (totals.rows === 0) return { totals, answer: "nothing-to-send" }
  const count = yield* reportPlan(plan, rowsFile, totals, zone)
  if (count === 0) return { totals, answer: "nothing-to-send" }
  if (texts.length > 0) {
    yield* note("The first texts:")
    yield* RowsFile.noteExamples(texts)
  }
  const target = campaign.startsWith(sandboxPrefix) ? " to the sandbox" : ""
  const second = plan.here === 0 ? "" : ` ${counted(plan.here, "recipient")} get another one.`
  const isApproved = yield* confirm(`Send ${numberOf(count)} SMS${target}?${second}`)
  return { totals, answer: isApproved ? "approved" : "declined" }
})
