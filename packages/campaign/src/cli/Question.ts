/**
 * What a person sees before the rows of a file are sent.
 */
import { CampaignJournal, type EarlierSends, type RowState } from "@messaging-topup/journal"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { invalid, type ReadRow } from "../input/Row.ts"
import * as Totals from "../input/Totals.ts"
import * as LocalTime from "../report/LocalTime.ts"
import { status } from "../rows/State.ts"
import { confirm } from "./Confirm.ts"
import { conflict, rowsPerAppend } from "./LoadRows.ts"
import { note, numberOf, report, table } from "./Output.ts"
import * as RowsFile from "./RowsFile.ts"
import { sandboxPrefix } from "./Services.ts"

interface Plan {
  /** Rows that the journal does not have. */
  fresh: number
  /** The rows that it has with the same content. */
  readonly known: Record<RowState, number>
  /** Of the rows of the file that will be sent. */
  segments: number
  earlier: EarlierSends
  readonly texts: Array<string>
}

const least = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

/** Reads the file, lists its invalid rows, and compares the others with the journal. */
const planOf = Effect.fnUntraced(function* (
  campaign: string,
  rowsFile: RowsFile.RowsFile,
  ignoredPrefix: string
) {
  const campaigns = yield* CampaignJournal
  const plan: Plan = {
    fresh: 0,
    known: { pending: 0, attempting: 0, sent: 0, rejected: 0, unknown: 0 },
    segments: 0,
    earlier: { here: 0, elsewhere: 0 },
    texts: []
  }
  const changed = new Array<readonly [row: ReadRow, field: string]>()
  let waiting = new Array<ReadRow>()

  const compareWaiting = Effect.gen(function* () {
    const rows = waiting
    waiting = []
    const { earlier, known } = yield* campaigns.compare(
      campaign,
      rows.map(({ row }) => row),
      ignoredPrefix
    )
    const byIndex = new Map(known.map((row) => [row.index, row]))
    for (const [index, row] of rows.entries()) {
      const found = byIndex.get(index)
      if (found?.changed !== undefined) {
        changed.push([row, found.changed])
        continue
      }
      if (found === undefined) plan.fresh++
      else plan.known[found.state]++
      if (found !== undefined && found.state !== "pending") continue
      plan.segments += Totals.segmentsOf(row)
      if (plan.texts.length < RowsFile.maxExamples) plan.texts.push(row.row.request.message)
    }
    const { elsewhere, first, here } = plan.earlier
    plan.earlier = {
      here: here + earlier.here,
      elsewhere: elsewhere + earlier.elsewhere,
      first: least(first, earlier.first)
    }
  })

  const totals = yield* RowsFile.totalsOf(
    rowsFile,
    Effect.fnUntraced(function* (rows) {
      waiting.push(...rows)
      if (waiting.length >= rowsPerAppend) yield* compareWaiting
    })
  )
  yield* compareWaiting
  for (const [row, field] of changed) {
    totals.rows--
    totals.invalid++
    totals.segments -= Totals.segmentsOf(row)
    yield* RowsFile.listInvalid(
      rowsFile.source.name,
      totals.invalid,
      invalid(row.line, conflict, field)
    )
  }
  return { plan, totals }
})

const dateOf = (millis: number, zone: DateTime.TimeZone): string => {
  const { day, offset } = LocalTime.partsOf(millis, zone)
  return `${day} (${offset})`
}

const reportPlan = (
  { earlier, fresh, known, segments }: Plan,
  pending: number,
  pricePerSegment: number | undefined,
  zone: DateTime.TimeZone
) => {
  const price =
    pricePerSegment === undefined ? undefined : RowsFile.priceOf(segments, pricePerSegment)
  const { elsewhere, first, here } = earlier
  const since = first === undefined ? "" : `, since ${dateOf(first, zone)}`
  return report(
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
    `In the journal:\n${table([
      ["new", fresh],
      ["pending from an earlier run", pending],
      ["sent already", known.sent],
      ["unknown, not sent again", known.unknown],
      ["in flight, or unknown since a crash", known.attempting],
      ["rejected, not sent again", known.rejected],
      ["segments", segments],
      ...(price === undefined ? [] : [["price", price] as const]),
      ["recipients with another SMS of this campaign", here],
      [`recipients with an SMS of other campaigns${since}`, elsewhere]
    ])}`
  )
}

export interface Answer {
  readonly totals: Totals.Totals
  readonly answer: "approved" | "declined" | "nothing-to-send"
}

/** Shows what would be sent, and asks, unless nothing would be sent. */
export const ask = Effect.fnUntraced(function* (
  campaign: string,
  rowsFile: RowsFile.RowsFile,
  zone: DateTime.TimeZone
) {
  const isSandbox = campaign.startsWith(sandboxPrefix)
  // What was sent to a sandbox was not really sent.
  const { plan, totals } = yield* planOf(campaign, rowsFile, isSandbox ? "" : sandboxPrefix)
  yield* RowsFile.reportTotals(rowsFile, totals)
  const answered = (answer: Answer["answer"]): Answer => ({ totals, answer })
  if (totals.rows === 0) return answered("nothing-to-send")
  const existing = Option.getOrUndefined(yield* Effect.option(status(campaign)))
  const pending = existing?.counts.pending ?? 0
  yield* reportPlan(plan, pending, rowsFile.pricePerSegment, zone)
  const count = plan.fresh + pending
  if (count === 0) {
    yield* note("Nothing will be sent: the journal has every row of the file already")
    return answered("nothing-to-send")
  }
  if (plan.texts.length > 0) {
    yield* note("The first texts:")
    yield* RowsFile.noteExamples(plan.texts)
  }
  const target = isSandbox ? " to the sandbox" : ""
  return answered(
    (yield* confirm(`Send ${numberOf(count)} SMS${target}?`)) ? "approved" : "declined"
  )
})
