/**
 * Prices as far as they can be compared. Their format is not described.
 */

export interface Price {
  readonly amount: number
  /** As it is written, in capital letters; empty where there is none. */
  readonly currency: string
}

const currency = String.raw`([A-Za-z]{1,3}|\p{Sc})?`

/**
 * One plain decimal number, with a currency before or after it. `1,000` and `1.000` could be one or a
 * thousand.
 */
const plain = new RegExp(String.raw`^${currency}\s*(\d+(?:\.\d{1,2})?)\s*${currency}$`, "u")

const isSize = (word = ""): boolean => /^[kmgt]i?b$/i.test(word)

export const parse = (price = ""): Price | undefined => {
  const [, before, amount, after] = plain.exec(price.trim()) ?? []
  // Of two currencies, one may be a unit.
  if (amount === undefined || (before !== undefined && after !== undefined)) return undefined
  if (isSize(after)) return undefined
  return { amount: Number(amount), currency: (before ?? after ?? "").toUpperCase() }
}
