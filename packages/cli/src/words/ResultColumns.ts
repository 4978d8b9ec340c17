/** The form of a file of results: the columns that `results` adds, and its cells. A list may be such a file. */

interface Result {
  readonly row: { readonly line: number }
  readonly outcome: string
  readonly messageId?: string | undefined
  readonly reason?: string | undefined
  readonly status?: string | undefined
}

/** The name of each, and its cell. `status` is there only with `--statuses`. */
export const resultColumns = {
  line: ({ row }) => String(row.line),
  outcome: ({ outcome }) => outcome,
  message_id: ({ messageId = "" }) => messageId,
  reason: ({ reason = "" }) => reason,
  status: ({ status = "" }) => status
} as const satisfies Readonly<Record<string, (result: Result) => string>>

export type ResultColumn = keyof typeof resultColumns

/** The column that says how a row ended. The journal may know no row of such a file. */
export const outcomeColumn: ResultColumn = "outcome"

/** The one that says why, and who was on the stop list. */
export const reasonColumn: ResultColumn = "reason"

/** How a formula begins for a spreadsheet. A number with a sign is harmless, also with blanks. */
const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const signedNumber = /^[+-]?\d+(?: \d+)*$/

/** Also with apostrophes before it: otherwise one that was there before would be taken for the one that was added. */
const isFormula = (cell: string): boolean => {
  const begun = cell.replace(/^'+/, "")
  return formula.test(begun) && !signedNumber.test(begun)
}

/** Writes a cell so that a spreadsheet shows a formula as text. */
export const asResult = (cell: string): string => (isFormula(cell) ? `'${cell}` : cell)

/** Reads what `asResult` wrote. */
export const fromResult = (cell: string): string =>
  cell.startsWith("'") && isFormula(cell) ? cell.slice(1) : cell
