/** Normalises phone numbers to E.164. A separate file, because it imports an optional library. */
// The `min` metadata have the lengths and a loose number pattern of every country. `max` also tells
// mobile from fixed lines, at twice the size.
import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  validatePhoneNumberLength
} from "libphonenumber-js/min"
import type { Normalize } from "./Recipient.ts"

/** Checks the form first, because the library accepts `constructor` as a country. */
export const isCountry = (code: string): code is CountryCode =>
  /^[A-Z]{2}$/.test(code) && isSupportedCountry(code)

/** How a number of the country begins. Some countries share a calling code. */
export const prefixOf = (country: CountryCode): string => `+${getCountryCallingCode(country)}`

const notPossible =
  "No number of the country has this length or these first digits: check digits and country"
const tooLong =
  "This is too long for its country: check for extra digits, and write + for the prefix"
const eitherWay =
  "It may begin with the country code or not: write + before the code, or the 0 with which it is dialled in the country"
const extension = "E.164 has no extensions: give one number, without extension or further numbers"

const problems = {
  NOT_A_NUMBER:
    "This is not a phone number: give the digits of one number, with only punctuation between them",
  INVALID_COUNTRY:
    "No country has this calling code: check the digits that follow the international prefix",
  TOO_SHORT:
    "This is too short for its country: check for missing digits; short codes have no E.164 form",
  TOO_LONG: tooLong,
  INVALID_LENGTH: notPossible
} as const

// E.164 allows 15 digits after the plus; the metadata of some countries allow more.
const maxLength = 1 + 15

// The library reads the national Brazilian number 090821958663 as `+5590821958663`, and reads that
// as `+55821958663`. So only a number that does not change when it is parsed again counts as E.164.
const isE164 = (candidate: string): boolean => {
  const again = parsePhoneNumberFromString(candidate, { extract: false })
  return again !== undefined && again.number === candidate && again.isValid()
}

/**
 * Whether the digits are two numbers: that of the country, and one with its calling code but without the plus, which
 * spreadsheets remove. The metadata of most countries allow only one of them.
 */
const isEitherWay = (text: string, nationalNumber: string, country: CountryCode): boolean =>
  !text.startsWith("+") &&
  nationalNumber.startsWith(getCountryCallingCode(country)) &&
  (text.match(/\p{Nd}/gu) ?? []).length === nationalNumber.length &&
  isE164(`+${nationalNumber}`)

/**
 * Changes numbers to E.164: `+`, calling code and national number, 15 digits at most. `country` is used only
 * if a number does not begin with `+`: it gives the calling code, and the dialled form of the international
 * prefix (`00` in most countries, `011` in the United States). Digits of other scripts are accepted.
 */
export const normalizeTo =
  (country: CountryCode): Normalize =>
  (input) => {
    // Address books put invisible direction marks around a number, and lists put a parenthesis before
    // the plus. The library does not know every space character, and does not recognise a full-width
    // plus.
    const text = input
      .replace(/\p{Cf}/gu, "")
      .replace(/\s/gu, " ")
      .replace("＋", "+")
      .trim()
      .replace(/^\((?=\+)/u, "")
    // By default the library extracts a number from any text: `1-800-FLOWERS` would be `+1 1800`.
    const options = text.startsWith("+")
      ? { extract: false }
      : { defaultCountry: country, extract: false }
    const number = parsePhoneNumberFromString(text, options)
    if (number?.ext !== undefined) return { problem: extension }
    if (number !== undefined && number.number.length > maxLength) return { problem: tooLong }
    if (number !== undefined && isE164(number.number)) {
      return isEitherWay(text, number.nationalNumber, country)
        ? { problem: eitherWay, either: [number.number, `+${number.nationalNumber}`] }
        : { number: number.number }
    }
    const problem = validatePhoneNumberLength(text, options)
    return { problem: problem === undefined ? notPossible : problems[problem] }
  }
