/**
 * Phone numbers of a country. A separate file, because it imports an optional library.
 */
import { type CountryCode, toE164 } from "../input/PhoneNumber.ts"
import { isSupportedCountry } from "libphonenumber-js/min"

export { toE164 }

/** Checks the form first, because the library accepts `constructor` as a country. */
export const isCountry = (code: string): code is CountryCode =>
  /^[A-Z]{2}$/.test(code) && isSupportedCountry(code)
