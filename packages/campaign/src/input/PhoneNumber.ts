/**
 * Normalises phone numbers to E.164. It needs `libphonenumber-js`, an optional peer dependency.
 *
 * The service description does not say which format of phone numbers the service accepts, so this happens
 * only if it is asked for.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
// The `min` metadata have the lengths and a loose number pattern of every country. `max` also tells
// mobile from fixed lines, at twice the size. `core` needs the metadata as an argument.
import {
  type CountryCode,
  getCountries,
  parsePhoneNumberFromString,
  validatePhoneNumberLength
} from "libphonenumber-js/min"

/** An ISO 3166-1 alpha-2 country code in capitals, such as `NG`. */
export type { CountryCode }

/**
 * A text could not be normalised to E.164.
 *
 * The error never contains the text, so that it can be logged: a phone number is personal data.
 */
export class PhoneNumberNotNormalized extends Schema.TaggedError<PhoneNumberNotNormalized>()(
  "PhoneNumberNotNormalized",
  {
    reason: Schema.Literals([
      "not-a-number",
      "invalid-country",
      "unknown-calling-code",
      "too-short",
      "too-long",
      "extension",
      "not-possible"
    ]).annotate({ description: "Why the text was not normalised; more reasons may be added" }),
    message: Schema.String.annotate({ description: "What to do about it; never contains the text" })
  }
) {}

const advice: Record<PhoneNumberNotNormalized["reason"], string> = {
  "not-a-number":
    "This is not a phone number: give the digits of one number, with only punctuation between them",
  "invalid-country":
    "The country is unknown: give an ISO 3166-1 alpha-2 code in capitals, such as NG",
  "unknown-calling-code":
    "No country has this calling code: check the digits that follow the international prefix",
  "too-short":
    "This is too short for its country: check for missing digits; short codes have no E.164 form",
  "too-long":
    "This is too long for its country: check for extra digits, and write + for the prefix",
  extension: "E.164 has no extensions: give one number, without extension or further numbers",
  "not-possible":
    "No number of the country has this length or these first digits: check digits and country"
}

const reasons = {
  NOT_A_NUMBER: "not-a-number",
  INVALID_COUNTRY: "unknown-calling-code",
  TOO_SHORT: "too-short",
  TOO_LONG: "too-long",
  INVALID_LENGTH: "not-possible"
} as const

const fail = (reason: PhoneNumberNotNormalized["reason"]) =>
  Result.fail(new PhoneNumberNotNormalized({ reason, message: advice[reason] }))

// E.164 allows 15 digits after the plus; the metadata of some countries allow more.
const maxLength = 1 + 15

// The library reads the national Brazilian number 090821958663 as `+5590821958663`, and reads that
// as `+55821958663`. So only a number that does not change when it is parsed again counts as E.164.
const isE164 = (candidate: string): boolean => {
  const again = parsePhoneNumberFromString(candidate, { extract: false })
  return again !== undefined && again.number === candidate && again.isValid()
}

/**
 * Normalises a phone number to E.164: `+`, calling code and national number, 15 digits at most.
 *
 * `country` is used only if the text does not start with `+`. It gives the calling code, and the
 * dialled form of the international prefix (`00` in most countries, `011` in the United States).
 * Spaces, punctuation and digits of other scripts are accepted. Letters, a second number and an
 * extension are an error. Success means that the length and the first digits fit the numbering
 * plan. It does not mean that the number is in use.
 *
 * Fails with {@link PhoneNumberNotNormalized}, and never throws. A `Result` is not an Effect:
 * inside `Effect.gen`, use `yield* Effect.fromResult(toE164(text, country))`.
 *
 * Source: ITU-T E.164
 */
export const toE164 = (
  input: string,
  country: CountryCode
): Result.Result<string, PhoneNumberNotNormalized> => {
  // Untyped callers may pass a number from a spreadsheet or from JSON, which has lost its leading
  // zeros.
  if (typeof input !== "string") return fail("not-a-number")
  // Address books put invisible direction marks around a number, and lists put a parenthesis before
  // the plus. The library does not know every space character, and does not recognise a full-width
  // plus.
  const text = input
    .replace(/\p{Cf}/gu, "")
    .replace(/\s/gu, " ")
    .replace("＋", "+")
    .trim()
    .replace(/^\((?=\+)/u, "")
  const hasPlus = text.startsWith("+")
  // `isSupportedCountry` is true for `constructor` and `__proto__`.
  if (!hasPlus && !getCountries().includes(country)) return fail("invalid-country")

  // By default the library extracts a number from any text: `1-800-FLOWERS` would be `+1 1800`.
  const options = hasPlus ? { extract: false } : { defaultCountry: country, extract: false }
  const number = parsePhoneNumberFromString(text, options)
  if (number?.ext !== undefined) return fail("extension")
  if (number !== undefined && number.number.length > maxLength) return fail("too-long")
  if (number !== undefined && isE164(number.number)) return Result.succeed(number.number)
  const problem = validatePhoneNumberLength(text, options)
  return fail(problem === undefined ? "not-possible" : reasons[problem])
}
