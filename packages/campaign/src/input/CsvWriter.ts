/**
 * A line of CSV, escaped so that a spreadsheet shows formulas as text.
 */

/** How a formula begins for a spreadsheet. A number with a sign is harmless. */
const formula = /^[=+\-@\t\r]/
const signedNumber = /^[+-]?\d+$/

const quotedCell = /[",\r\n]/

const cellOf = (text: string): string => {
  const safe = formula.test(text) && !signedNumber.test(text) ? `'${text}` : text
  return quotedCell.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const csvLine = (cells: ReadonlyArray<string>): string => cells.map(cellOf).join(",")
