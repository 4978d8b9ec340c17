/** Checks whether a recipient is one number. */
import { Phone } from "@messaging-topup/core/internal"
import { normalized, withoutInvisible } from "../Visible.ts"

/**
 * The separator of two numbers. A plus sign starts a new number. Each run of blanks is read once, from its
 * start.
 */
const betweenNumbers = /[,;،؛、]|(?<=\d)\s*(?=\+)|(?<!\s)\s+(?=\(\s*\+)/u

/**
 * Splits a recipient at commas, semicolons and plus signs. An entry that is not a number, such as a
 * name, counts as one number.
 */
export const numbersIn = (recipient: string): ReadonlyArray<string> =>
  withoutInvisible(normalized(recipient, "NFKC"))
    .split(betweenNumbers)
    .map((entry) => entry.trim())
    .filter((entry) => /[\p{L}\p{N}]/u.test(entry))

/** Returns the form that is shown to a person and sent: one number loses its separators. */
export const sendable = (recipient: string): string => {
  const [only = "", ...others] = numbersIn(recipient).map(Phone.sentForm)
  return others.length === 0 && Phone.isOneNumber(only) ? only : recipient
}

/** The country codes of ITU E.164 have one, two or three digits, and their first ones say how many. */
const countryCode = /^\+(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/

/** Returns the country code of a number in the form that is sent; undefined without one: `0700…`. */
export const countryOf = (recipient: string): string | undefined => countryCode.exec(recipient)?.[0]

/**
 * A sign or a word between two digits, such as that of an extension. What is between them is read once, from
 * the digit before it.
 */
const betweenDigits = /\p{Nd}[^\p{Nd}+\p{L}#*/|&\\]*[\p{L}#*/|&\\][^\p{Nd}+]*\p{Nd}/u

/**
 * Whether an entry can only be one number. The service could also read several numbers in digits with a
 * word or a sign such as `&` between them.
 */
export const isClear = (entry: string): boolean =>
  !Phone.mayBeSeveralNumbers(entry) && !betweenDigits.test(entry) && !Phone.hasTrunkZero(entry)
