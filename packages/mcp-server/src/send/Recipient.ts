/**
 * Compares phone numbers, whose format the service does not document, and checks them against
 * allow-lists.
 */
import { mayBeSeveralNumbers } from "@messaging-topup/core/internal"
import { normalized, withoutInvisible } from "./Text.ts"

/** Characters that people put between the digits of a number. */
const separators = /[ \u00a0\u2007\u2009\u202f().\-\u2010-\u2015]/gu

/** Removes separators, and writes a leading `00` as `+`. Other characters stay as they are. */
export const normalize = (recipient: string): string =>
  recipient.replace(separators, "").replace(/^00/, "+")

/** E.164 numbers have at most 15 digits: more are several numbers. */
const oneNumber = /^\+?\d{1,15}$/

/** Whether the text is one number and nothing else. A list of numbers is not. */
export const isOneNumber = (number: string): boolean => oneNumber.test(number)

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
  const [only = "", ...others] = numbersIn(recipient).map(normalize)
  return others.length === 0 && isOneNumber(only) ? only : recipient
}

/** The country codes of ITU E.164 have one, two or three digits, and their first ones say how many. */
const countryCode = /^\+(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/

/** Returns the country code of a number in the form that is sent; undefined without one: `0700…`. */
export const countryOf = (recipient: string): string | undefined => countryCode.exec(recipient)?.[0]

/** A sign or a word between two digits. What is between them is read once, from the digit before it. */
const betweenDigits = /\d[^\d+/|&\\]*[/|&\\][^\d+]*\d|\d\s*\p{L}+\s*\d/u

/** People write `+44 (0)20 …` for two numbers in one: the 0 is dialled only without the country code. */
const trunkZero = /^(?:\+|00)[^(]*\(0\)/

/**
 * Whether an entry can only be one number. The service could also read several numbers in digits with a
 * word or a sign such as `&` between them.
 */
export const isClear = (entry: string): boolean =>
  !mayBeSeveralNumbers(entry) && !betweenDigits.test(entry) && !trunkZero.test(entry)

const identityOfOne = (entry: string): string =>
  entry
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "")
    .replace(/^tel/, "")
    .replace(/^00/, "")

/**
 * Returns one text for all spellings of the same numbers, so that a repeated call is found. Use it for
 * duplicates only: two recipients that are not numbers may have the same identity.
 */
export const identity = (recipient: string): string =>
  [...new Set(numbersIn(recipient).map(identityOfOne))].toSorted().join(",")

/** An exact number, or a prefix: a rule that ends in `*`. */
export interface AllowRule {
  readonly start: string
  readonly exact: boolean
}

/** No country code starts with 0, so `+0` would match nothing and must be a mistake. */
const rule = /^(\+[1-9]\d{0,14}|\d{1,15})$/

/** Returns `undefined` if the text is neither a number nor a prefix. */
export const parseAllowRule = (text: string): AllowRule | undefined => {
  const exact = !text.trim().endsWith("*")
  const start = normalize(exact ? text.trim() : text.trim().slice(0, -1))
  return rule.test(start) ? { start, exact } : undefined
}

/**
 * Returns the number in the form that was compared, or `undefined` if the list does not allow it. Send to what
 * is returned: the service could read another spelling as another number, or as several.
 */
export const allowed = (rules: ReadonlyArray<AllowRule>, recipient: string): string | undefined => {
  const number = normalize(recipient)
  // Digits of other scripts and invisible characters are no part of one number either.
  const isAllowed = rules.some(({ exact, start }) =>
    exact ? number === start : number.startsWith(start)
  )
  return isAllowed && isOneNumber(number) ? number : undefined
}
