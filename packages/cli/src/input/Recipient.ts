/**
 * Phone numbers as people write them in files.
 *
 * The service documents no format. So a number stays as it is, and only what cannot be one phone number
 * is refused: a spreadsheet changes numbers, and a changed number belongs to somebody else.
 */

import { Phone } from "@messaging-topup/core/internal"

/** Returns a number in E.164, or the problem with it: `either` are the two numbers that it may be. */
export type Normalize = (
  recipient: string
) =>
  | { readonly number: string }
  | { readonly problem: string; readonly either?: readonly [string, string] }

/**
 * Address books put invisible direction marks around a number. A spreadsheet shows a number that begins
 * with ' as it is, and `results` writes it so. `="+234…"` is how others write a number as a text.
 */
export const clean = (cell: string): string =>
  cell
    .replace(/\p{Cf}/gu, "")
    .trim()
    .replace(/^'(?=[+(\d=])/, "")
    .replace(/^="(.*)"$/, "$1")

const format = "look it up, and type it into a cell that is formatted as text"

/** `2348031234567.0`, `2,348,031,234,567` and `2.34803E+12`. */
const spreadsheetNumber =
  /^[+-]?\d+[.,]\d+$|^[+-]?\d{1,3}(?:,\d{3})+$|^[+-]?\d+(?:[.,]\d*)?e[+-]?\d+$/i

/** A slash separates an area code, as in `0664/1234567`. What begins with 0 or + is another number. */
const secondNumber = /[,;،؛、|&\\\r\n]|[\d)]\s*\+|\/\s*[0+]/u

const minDigits = 5

export const spreadsheetError = "it is an error of a spreadsheet: correct the cell"

/** Returns the problem with a number, without the number; undefined if there is none. */
export const problemOf = (number: string): string | undefined => {
  if (number.startsWith("#")) return spreadsheetError
  if (spreadsheetNumber.test(number)) return `it is a number that a spreadsheet changed: ${format}`
  if (/\p{L}/u.test(number)) return "it is not a phone number: it contains letters"
  if (secondNumber.test(number) || Phone.mayBeSeveralNumbers(number)) {
    return "it may be more than one number, or has more than 15 digits: give one number per row, without spaces if it is one"
  }
  if (!Phone.isWritten(number)) {
    return "it is not a phone number: give its digits, with spaces, hyphens, dots or parentheses at most"
  }
  if (Phone.hasTrunkZero(number)) {
    return "it has a (0), which is dialled only without the country code: leave out one of them"
  }
  return Phone.wideForm(number).length < minDigits
    ? `it has fewer than ${minDigits} digits`
    : undefined
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
