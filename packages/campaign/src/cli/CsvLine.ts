/**
 * A line of CSV that a spreadsheet shows, and does not run.
 */

/** What a spreadsheet takes for a formula. A plain number with its sign calls nothing. */
const formula = /^[=+\-@\t\r]/
const signedNumber = /^[+-]?\d+$/

const quotedCell = /[",\r\n]/

const cellOf = (text: string): string => {
  const safe = formula.test(text) && !signedNumber.test(text) ? `'${text}` : text
  return quotedCell.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const csvLine = (cells: ReadonlyArray<string>): string => cells.map(cellOf).join(",")
