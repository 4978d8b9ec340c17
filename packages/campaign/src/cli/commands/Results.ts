/**
 * `results` and `failures`: the rows of a campaign and what became of them.
 */
import type { Row, RowState } from "@messaging-topup/journal"
import { SmsText } from "@messaging-topup/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { outcomeColumn } from "../../input/Columns.ts"
import { csvLine } from "../../input/CsvWriter.ts"
import { columns } from "../../input/Row.ts"
import { results as rowsOf } from "../../rows/Results.ts"
import * as State from "../../rows/State.ts"
import { exitCodes } from "../ExitCodes.ts"
import { isTerminal, print } from "../Output.ts"
import { withJournalToRead } from "../Services.ts"
import type { CampaignInput } from "./State.ts"

export interface ResultsInput extends CampaignInput {
  readonly csv: boolean
}

type Cells = Readonly<Record<string, number | string | undefined>>

/** Every cell of a row, for all tables. */
const cellsOf = ({ at, info, key, line, message_id, request, state }: Row): Cells => ({
  ...request,
  key,
  line,
  message_id,
  [outcomeColumn]: state,
  segments: SmsText.preview(request.message).segments,
  time: DateTime.formatIso(DateTime.makeUnsafe(at)),
  reason: info
})

interface Table {
  readonly event: string
  readonly states: ReadonlyArray<RowState | undefined>
  readonly csvColumns: ReadonlyArray<string>
  /** Without number and text. */
  readonly jsonOf: (row: Row) => Cells
}

/** Prints the rows of some states. Returns how many there are. */
const show = (input: ResultsInput, { csvColumns, event, jsonOf, states }: Table) =>
  withJournalToRead(
    input,
    Effect.gen(function* () {
      // Fails if the campaign does not exist: without this, it would seem to have no rows.
      yield* State.status(input.campaign)
      const isForPerson = yield* isTerminal
      const textOf = (row: Row): string => {
        if (input.csv) {
          const cells = cellsOf(row)
          return csvLine(csvColumns.map((column) => String(cells[column] ?? "")))
        }
        if (!isForPerson) return JSON.stringify({ event, ...jsonOf(row) })
        const { info = "", key, line, state } = row
        return `${state.padEnd(10)}  ${line === undefined ? "" : `line ${line}  `}${key}  ${info}`
      }
      if (input.csv) yield* print(csvLine(csvColumns))
      let count = 0
      for (const state of states) {
        const filter = state === undefined ? {} : { state }
        yield* Stream.runForEachArray(rowsOf(input.campaign, filter), (rows) => {
          count += rows.length
          return print(rows.map(textOf).join("\n"))
        })
      }
      return count
    })
  )

export const results = (input: ResultsInput) =>
  Effect.as(
    show(input, {
      event: "Row",
      states: [undefined],
      csvColumns: [
        "line",
        "recipient",
        outcomeColumn,
        "message_id",
        "segments",
        "time",
        "key",
        "reason"
      ],
      jsonOf: (row) => {
        const { key, line, message_id, outcome, reason, segments, time } = cellsOf(row)
        return { line, key, outcome, message_id, segments, time, reason }
      }
    }),
    exitCodes.done
  )

export const failures = (input: ResultsInput) =>
  Effect.map(
    show(input, {
      event: "Failure",
      states: ["rejected", "unknown"],
      csvColumns: [...columns, "line", outcomeColumn, "reason"],
      jsonOf: ({ info, key, line, state }) => ({ line, key, state, reason: info })
    }),
    (count) => (count > 0 ? exitCodes.notAllSent : exitCodes.done)
  )
