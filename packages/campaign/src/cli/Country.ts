/**
 * Phone numbers of a country, by an optional library.
 */
import { type CountryCode, toE164 } from "@messaging-topup/core/phone"
import { isSupportedCountry } from "libphonenumber-js/min"

export { toE164 }

/** The library takes `constructor` for a country. */
export const isCountry = (code: string): code is CountryCode =>
  /^[A-Z]{2}$/.test(code) && isSupportedCountry(code)
