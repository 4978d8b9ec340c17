/**
 * `results` and `failures`: the rows of a campaign and what became of them.
 */
import type { Row, RowState } from "@messaging-topup/journal"
import { SmsText } from "@messaging-topup/core"
import type { Values } from "@messaging-topup/sandbox/command-line"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import { outcomeColumn } from "../../input/Columns.ts"
import { csvLine } from "../../input/CsvWriter.ts"
import { columns } from "../../input/Row.ts"
import * as LocalTime from "../../report/LocalTime.ts"
import { results as rowsOf } from "../../rows/Results.ts"
import * as State from "../../rows/State.ts"
import { exitCodes } from "../ExitCodes.ts"
import type * as Flags from "../Flags.ts"
import { zoneOf } from "../Options.ts"
import { isTerminal, note, print } from "../Output.ts"
import { withJournalToRead } from "../Services.ts"
import type { CampaignInput } from "./State.ts"

interface RowsInput extends CampaignInput, Values<typeof Flags.csv> {}

type Cells = Readonly<Record<string, number | string | undefined>>

/** Every cell of a row, for all tables. */
const cellsOf = (
  { at, info, key, line, message_id, request, state }: Row,
  timeOf: (millis: number) => string
): Cells => ({
  ...request,
  key,
  line,
  message_id,
  [outcomeColumn]: state,
  segments: SmsText.preview(request.message).segments,
  time: timeOf(at),
  reason: info
})

interface Table {
  readonly event: string
  readonly states: ReadonlyArray<RowState | undefined>
  readonly csvColumns: ReadonlyArray<string>
  /** Without number and text. */
  readonly jsonColumns: ReadonlyArray<string>
}

/** Prints the rows of some states. Returns how many there are. */
const show = (
  input: RowsInput,
  { csvColumns, event, jsonColumns, states }: Table,
  timeOf: (millis: number) => string = LocalTime.utc
) =>
  withJournalToRead(
    input,
    Effect.gen(function* () {
      // Fails if the campaign does not exist: without this, it would seem to have no rows.
      yield* State.status(input.campaign)
      const isForPerson = yield* isTerminal
      const textOf = (row: Row): string => {
        if (isForPerson && !input.csv) {
          const { info = "", key, line, state } = row
          return `${state.padEnd(10)}  ${line === undefined ? "" : `line ${line}  `}${key}  ${info}`.trimEnd()
        }
        const cells = cellsOf(row, input.csv ? timeOf : LocalTime.utc)
        return input.csv
          ? csvLine(csvColumns.map((column) => String(cells[column] ?? "")))
          : JSON.stringify({ event, ...Struct.pick(cells, jsonColumns) })
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

const resultColumns = [
  "line",
  "recipient",
  outcomeColumn,
  "message_id",
  "segments",
  "time",
  "key",
  "reason"
]

export const results = Effect.fnUntraced(function* (input: RowsInput & Values<typeof Flags.zone>) {
  const zone = yield* zoneOf(input)
  const table: Table = {
    event: "Row",
    states: [undefined],
    csvColumns: resultColumns,
    jsonColumns: ["line", "key", outcomeColumn, "message_id", "segments", "time", "reason"]
  }
  yield* show(input, table, (millis) => LocalTime.iso(millis, zone))
  return exitCodes.done
})

export const failures = Effect.fnUntraced(function* (input: RowsInput) {
  const count = yield* show(input, {
    event: "Failure",
    states: ["rejected", "unknown"],
    csvColumns: [...columns, "line", outcomeColumn, "reason"],
    jsonColumns: ["line", "key", outcomeColumn, "reason"]
  })
  if (count > 0) return exitCodes.notAllSent
  if (yield* isTerminal) yield* note("No row was rejected, and no outcome is unknown")
  return exitCodes.done
})
