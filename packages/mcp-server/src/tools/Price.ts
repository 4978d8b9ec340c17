/**
 * Parses prices. The service does not describe their format, so only unambiguous ones can be compared.
 */

interface Price {
  readonly amount: number
  /** As written, in capital letters; empty if the price has none. */
  readonly currency: string
}

const currency = String.raw`([A-Za-z]{1,3}|\p{Sc})?`

/**
 * One decimal number with a currency before or after it. `1,000` and `1.000` do not match: they could
 * mean one or a thousand.
 */
const plain = new RegExp(String.raw`^${currency}\s*(\d+(?:\.\d{1,2})?)\s*${currency}$`, "u")

const isSize = (word = ""): boolean => /^[kmgt]i?b$/i.test(word)

export const parse = (price = ""): Price | undefined => {
  const [, before, amount, after] = plain.exec(price.trim()) ?? []
  // With a word on both sides, one of them may be a unit.
  if (amount === undefined || (before !== undefined && after !== undefined)) return undefined
  if (isSize(after)) return undefined
  return { amount: Number(amount), currency: (before ?? after ?? "").toUpperCase() }
}
