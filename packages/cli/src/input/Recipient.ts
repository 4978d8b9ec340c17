/**
 * Phone numbers in files. The service documents no format. So a number stays as it is, and only what cannot be one
 * phone number is refused.
 */
import { Phone } from "@messaging-topup/core/internal"

/**
 * Returns a number in E.164, or the problem with it: then `number` is the one that it may be in the country. `other` is
 * what it is with a plus, if that is another number.
 */
export type Normalize = (
  recipient: string
) =>
  | { readonly number: string; readonly other?: string }
  | { readonly problem: string; readonly number?: string; readonly other?: string }

export const spreadsheetError = "it is an error of a spreadsheet: correct the cell"

const problems: Record<Phone.NotANumber, string> = {
  "few-digits": `it has fewer than ${Phone.minDigits} digits`,
  letters: "it is not a phone number: it contains letters",
  "no-number":
    "it is not a phone number: give its digits, with spaces, hyphens, dots or parentheses at most",
  several:
    "it may be more than one number, or has more than 15 digits: give one number per row; if it is one, write nothing between its digits",
  "spreadsheet-error":
    "it begins with #, as an error of a spreadsheet or a comment: give a number, or remove the row",
  "spreadsheet-number":
    "it is a number that a spreadsheet changed: look it up, and type it into a cell that is formatted as text",
  "trunk-zero":
    "it has a (0), which is dialled only without the country code: leave out one of them"
}

/** The number of a cell, and the problem with it, without the number. */
export const read = (
  cell: string
): { readonly number: string; readonly problem: string | undefined } => {
  const { number, problem } = Phone.read(cell)
  return { number, problem: problem === undefined ? undefined : problems[problem] }
}

/** Digits and a plus sign that only a change to E.164 makes readable for every service. */
const otherScript = /(?![0-9])\p{Nd}|\uff0b/u

/** The problem with a number that is sent as it is. */
export const problemAsItIs = (number: string): string | undefined =>
  otherScript.test(number)
    ? "it has digits of another script: give --country, or write the digits 0 to 9"
    : undefined

/** The number that is sent, or its problem. */
export const numberOf = (
  number: string,
  normalize: Normalize | undefined
): ReturnType<Normalize> => {
  if (normalize !== undefined) return normalize(number)
  const problem = problemAsItIs(number)
  return problem === undefined ? { number } : { problem }
}
