/**
 * Prices as far as they can be compared. Their format is not described.
 */

const currency = String.raw`(?:[A-Za-z]{1,4}|\p{Sc})?`

/** One plain decimal number, with a currency before or after it. `1,000` could be one or a thousand. */
const plain = new RegExp(String.raw`^${currency}\s*(\d+(?:\.\d+)?)\s*${currency}$`, "u")

export const parse = (price = ""): number | undefined => {
  const digits = plain.exec(price.trim())?.[1]
  return digits === undefined ? undefined : Number(digits)
}
