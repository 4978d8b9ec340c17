/**
 * The texts that say why a batch, or a row of it, did not go out.
 */
import { bothNames, type Name } from "../Options.ts"
import { anotherClient } from "./ApprovalRefusals.ts"
import { rangesOf } from "./BatchRow.ts"
import { operatorAllows, Refusal } from "./Refusal.ts"
import type { Setting } from "./Rules.ts"
import { plural } from "./Text.ts"

export const tooManyRows = (rows: number, { option, value }: Setting<number>): Refusal =>
  new Refusal({
    code: "too_many_rows",
    what: `This call sent nothing: the batch has ${rows} rows, and this server allows ${value}.`,
    next: `Tell the person: the command messaging-topup-campaign sends files of any length. The person who runs the server can allow more rows with ${bothNames(option)}.`,
    details: { rows, max_batch: value }
  })

export const batchUnavailable = new Refusal({
  code: "confirmation_unavailable",
  what: "This call sent nothing: a batch needs the approval of a person, and this client cannot ask one.",
  next: anotherClient
})

/** A problem of a row, in words that follow "row 3:". */
export interface RowProblem {
  /** The number of the row. */
  readonly number: number
  readonly problem: string
  /** The option that could allow the row. */
  readonly option?: Name
}

export const sameAs = (number: number): string => `it is the same SMS as row ${number}`

/** Leaves out what all refusals of an SMS begin with. */
export const problemOf = ({ what }: Refusal): string =>
  what.slice(what.indexOf(": ") + 2).replace(/\.$/, "")

export const rowProblem = (number: number, refusal: Refusal): RowProblem => ({
  number,
  problem: problemOf(refusal),
  ...(refusal.option === undefined ? {} : { option: refusal.option })
})

const maxProblems = 10

/** Says all problems at once. Equal ones are said once. */
export const rowsRefused = (problems: ReadonlyArray<RowProblem>, rows: number): Refusal => {
  const byText = Map.groupBy(problems, ({ problem }) => problem)
  const texts = [...byText].map(
    ([problem, each]) =>
      `${each.length === 1 ? "row" : "rows"} ${rangesOf(each.map(({ number }) => number))}: ${problem}`
  )
  const options = new Set(problems.flatMap(({ option }) => option ?? []))
  const more = texts.length - maxProblems
  const shown = [...texts.slice(0, maxProblems), ...(more > 0 ? [`and ${more} more`] : [])]
  return new Refusal({
    code: "rows_refused",
    what: `This call sent nothing: ${plural(problems.length, "row")} of ${rows} cannot be sent; ${shown.join("; ")}.`,
    next: [
      "Correct these rows with the person, or leave them out, and call again. Do not try another spelling or number.",
      ...[...options].map(operatorAllows)
    ].join(" "),
    details: { rows, rows_refused: problems.length }
  })
}
