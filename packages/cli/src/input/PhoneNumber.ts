/** Normalises phone numbers to E.164. A separate file, because it imports an optional library. */
// `min` has the lengths and a loose pattern of the numbers of every country, and decides what is a number: of those
// that it takes in Austria, China or Brazil, `max` refuses two thirds. `mobile` says alone which are of mobile phones.
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parseDigits,
  parsePhoneNumberFromString,
  type PhoneNumber,
  validatePhoneNumberLength
} from "libphonenumber-js/min"
import { parsePhoneNumberFromString as parseMobile } from "libphonenumber-js/mobile"
import type { Normalize } from "./Recipient.ts"

/** Checks the form first, because the library accepts `constructor` as a country. */
export const isCountry = (code: string): code is CountryCode =>
  /^[A-Z]{2}$/.test(code) && isSupportedCountry(code)

/** How a number of the country begins. Some countries share a calling code. */
export const prefixOf = (country: CountryCode): string => `+${getCountryCallingCode(country)}`

const notPossible =
  "no number of the country has this length or these first digits: check digits and country"
const tooLong =
  "this is too long for its country: check for extra digits, and write + for the prefix"
const lostPlus =
  "this is no number of the country, and with + it is that of a mobile phone: write + before it, or check digits and country"
const extension = "E.164 has no extensions: give one number, without extension or further numbers"

const problems = {
  NOT_A_NUMBER:
    "this is not a phone number: give the digits of one number, with only punctuation between them",
  INVALID_COUNTRY:
    "no country has this calling code: check the digits that follow the international prefix",
  TOO_SHORT:
    "this is too short for its country: check for missing digits; short codes have no E.164 form",
  TOO_LONG: tooLong,
  INVALID_LENGTH: notPossible
} as const

// E.164 allows 15 digits after the plus; the metadata of some countries allow more.
const maxLength = 1 + 15

/** Reads a number that begins with a plus. The library leaves a trunk 0 out: `+43 0664 …` is `+43664…`. */
const e164Of = (text: string): PhoneNumber | undefined => {
  const number = parsePhoneNumberFromString(text, { extract: false })
  return number !== undefined && isE164(number.number) ? number : undefined
}

// The library reads the national Brazilian number 090821958663 as `+5590821958663`, and reads that
// as `+55821958663`. So only a number that does not change when it is parsed again counts as E.164.
const isE164 = (candidate: string): boolean => {
  const again = parsePhoneNumberFromString(candidate, { extract: false })
  return again !== undefined && again.number === candidate && again.isValid()
}

/** In some countries, a fixed line and a mobile phone have the same numbers. */
const mobileTypes: ReadonlySet<string | undefined> = new Set(["MOBILE", "FIXED_LINE_OR_MOBILE"])

const isMobile = (e164: string): boolean =>
  mobileTypes.has(parseMobile(e164, { extract: false })?.getType())

/** What is dialled before a number of the country, if the number stays the same with it: in Italy, a 0 makes another. */
const trunkOf = (number: PhoneNumber, country: CountryCode): string | undefined => {
  const national = number.formatNational().replace(/\D/g, "")
  const trunk = national.slice(0, -number.nationalNumber.length)
  const again = parsePhoneNumberFromString(national, { defaultCountry: country, extract: false })
  const isTrunk = trunk !== "" && national === trunk + number.nationalNumber
  return isTrunk && again?.number === number.number ? trunk : undefined
}

const eitherWay = (number: PhoneNumber, country: CountryCode): string => {
  const begins = [prefixOf(country), trunkOf(number, country)].filter((each) => each !== undefined)
  return `it may be a number of the country, or one that lost its +: write + before it, or ${begins.join(" or ")} before a number of the country`
}

/**
 * Changes numbers to E.164: `+`, calling code and national number, 15 digits at most. `country` is used only
 * if a number does not begin with `+`: it gives the calling code, and the dialled form of the international
 * prefix (`00` in most countries, `011` in the United States). Digits of other scripts are accepted.
 *
 * A spreadsheet removes the plus. A text without one that is a mobile number with it is a number of the country only
 * if it is a mobile number there, too. A number with the country's own code is taken if it alone is a mobile number.
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
    const withPlus = text.startsWith("+") ? undefined : e164Of(`+${parseDigits(text)}`)
    const second = withPlus?.number === number?.number ? undefined : withPlus
    const other = second === undefined ? {} : { other: second.number }
    if (number !== undefined && number.number.length <= maxLength && isE164(number.number)) {
      const hasOwnCode = second?.countryCallingCode === number.countryCallingCode
      const isDoubtful =
        second !== undefined &&
        (isMobile(number.number)
          ? hasOwnCode && isMobile(second.number)
          : hasOwnCode || isMobile(second.number))
      return isDoubtful
        ? { number: number.number, ...other, problem: eitherWay(number, country) }
        : { number: number.number, ...other }
    }
    if (second !== undefined && isMobile(second.number)) return { ...other, problem: lostPlus }
    if (number !== undefined && number.number.length > maxLength) return { problem: tooLong }
    const problem = validatePhoneNumberLength(text, options)
    return { problem: problem === undefined ? notPossible : problems[problem] }
  }

/** What a number without its country code is in each country, as `--country` reads it. */
export const inEveryCountry = (text: string): ReadonlyArray<string> =>
  getCountries().flatMap((country) => normalizeTo(country)(text).number ?? [])
