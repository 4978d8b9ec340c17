/**
 * Reads prices and data amounts. The service does not describe their format, so only a number that can be
 * read in one way is compared.
 */

interface Amount {
  /** Absent if the text has no number, several numbers, or one that could be read in two ways. */
  readonly number?: number
  /** The words and currency signs beside the number, in capital letters; empty without any. */
  readonly unit: string
}

const digits = /\d+(?:[.,]\d+)*/g

/** Three digits after a single separator are thousands or decimals: `1,000` could be one or a thousand. */
const ambiguous = /^[1-9]\d{0,2}[.,]\d{3}$/

const decimal = /^\d+(?:[.,]\d+)?$/

/** Thousands, and possibly decimals with the other separator: `1,234,567`, `1.000,50`. */
const grouped = /^\d{1,3}(?:(?:,\d{3})+(?:\.\d+)?|(?:\.\d{3})+(?:,\d+)?)$/

const numberOf = (text: string): number | undefined => {
  if (ambiguous.test(text)) return undefined
  if (decimal.test(text)) return Number(text.replace(",", "."))
  if (!grouped.test(text)) return undefined
  const [thousands = ""] = text.match(/[.,]/) ?? []
  return Number(text.replaceAll(thousands, "").replace(",", "."))
}

export const parse = (text = ""): Amount => {
  const plain = text.normalize("NFKC")
  const [only, ...others] = plain.match(digits) ?? []
  const number = only === undefined || others.length > 0 ? undefined : numberOf(only)
  const words = plain.toUpperCase().match(/[\p{L}\p{Sc}]+/gu) ?? []
  return { unit: words.join(" "), ...(number === undefined ? {} : { number }) }
}

const megabytes: Readonly<Record<string, number>> = { KB: 1 / 1024, MB: 1, GB: 1024, TB: 1024 ** 2 }

/** Returns the megabytes of a data amount such as `1.5 GB`. */
export const megabytesOf = (text: string | undefined): number | undefined => {
  const { number, unit } = parse(text)
  const factor = megabytes[unit]
  return number === undefined || factor === undefined ? undefined : number * factor
}
