/**
 * Phone numbers as people write them: the only answer of these packages to "is this the same number". The
 * service documents no format, so no form is right for every use: the wide one refuses, the exact one allows.
 */

/** The digits of every script stand together, from 0 to 9. */
const asAscii = (text: string): string =>
  text.replace(/(?!\d)\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0
    let value = 0
    while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++
    return String(value % 10)
  })

/** Letters and digits alone. Marks go first: the time to sort a long run of them grows with its square. */
const characters = (text: string): string =>
  asAscii(text.replace(/\p{M}/gu, "").normalize("NFKD"))
    .replace(/[^\p{L}\d]/gu, "")
    .toLowerCase()
    .replace(/^tel/, "")

/**
 * Returns one text for all spellings that may be the same number, to refuse: in stop lists, for repeats, limits
 * and digests. The plus, `00` and `011` (of North America) before a country code count as nothing. Of a text
 * that is no number, it has the letters.
 */
export const wideForm = (text: string): string =>
  characters(text).replace(/^(?:00|011)(?=[1-9])/, "")

/**
 * Returns one text for all spellings that are the same number everywhere: a list drops the second. `011` is a
 * national prefix in Johannesburg, Delhi and Leeds.
 */
export const sameForm = (text: string): string => characters(text).replace(/^00(?=[1-9])/, "")

/** What stands between the digits of a number without a doubt. */
const separators = /[ \u00a0\u2007\u2009\u202f().\-\u2010-\u2015]/gu

/**
 * Returns the form that is compared to allow a number, and then sent: separators removed, a leading `00` as
 * `+`. Other characters stay as they are.
 */
export const sentForm = (text: string): string => text.replace(separators, "").replace(/^00/, "+")

/**
 * Whether a number says that it begins with a country code. Without a plus or `00`, it may be a national number,
 * whose first 0 a spreadsheet removes: other spellings of it are not known.
 */
export const isInternational = (text: string): boolean => sentForm(text).startsWith("+")

/** The calling codes of E.164 have one or two digits, and all others three. */
const callingCode = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/

/** The calling code with which the digits of an international number begin. */
export const callingCodeOf = (digits: string): string | undefined => callingCode.exec(digits)?.[0]

/** What people dial before a national number of these calling codes. Elsewhere it is 0 or nothing. */
const trunks: ReadonlyMap<string, string> = new Map([
  ["7", "8"],
  ["36", "06"],
  ["370", "8"],
  ["375", "80"],
  ["993", "8"]
])

/**
 * Returns as what a number may have been written without its country code, and without the 0 before that, which a
 * spreadsheet removes. Enough to ask a person. Of a national number, the country is not known.
 */
export const nationalSpellings = (text: string): ReadonlyArray<string> => {
  const wide = wideForm(text)
  const code = callingCodeOf(wide) ?? ""
  const withoutCode = wide.startsWith("0")
    ? [wide.slice(1)]
    : ["", "0", trunks.get(code) ?? []].flat().map((trunk) => trunk + wide.slice(code.length))
  const withZero = wide.startsWith("0") || isInternational(text) ? [] : [`0${wide}`]
  return [...withoutCode, ...withZero].filter(({ length }) => length >= minDigits)
}

/** E.164 numbers have at most 15 digits. */
const maxDigits = 15

/** Whether a form that is sent is one number and nothing else. */
export const isOneNumber = (sent: string): boolean => /^\+?\d{1,15}$/.test(sent)

/** Whether a text is a number as people write it, with blanks, hyphens, dots, slashes and parentheses. */
const isWritten = (text: string): boolean =>
  /^\(?[+\uff0b]?\s*\(?\p{Nd}[\p{Nd}\s()./\p{Pd}]*$/u.test(text)

/** Whether nobody may store a text as it is, because it could be a phone number. */
export const mayBeNumber = (text: string): boolean => /^\d{7,}$/.test(characters(text))

/** Two of them in one text are probably two numbers. */
const longRun = /\p{Nd}{6,}/gu

/** A slash separates an area code, as in `0664/1234567`. What begins with 0 or + is another number. */
const secondNumber = /[,;،؛、|&\\\r\n]|[\p{Nd})]\s*\+|\/\s*[0+]/u

/**
 * Whether a text may be more than one phone number: it has more digits than a number can have, two runs of six or
 * more digits, or a sign between two numbers. The service could read it as several recipients.
 */
const mayBeSeveral = (text: string, wide: string): boolean =>
  secondNumber.test(text) ||
  wide.replace(/\D/g, "").length > maxDigits ||
  (text.match(longRun)?.length ?? 0) > 1

/** People write `+44 (0)20 …` for two numbers in one: the 0 is dialled only without the country code. */
const trunkZero = /^\D*\d.*\(\s*0\s*\)/su

/** `2348031234567.0`, `2,348,031,234,567` and `2.34803E+12`. */
const spreadsheetNumber =
  /^[+-]?\d+[.,]\d+$|^[+-]?\d{1,3}(?:,\d{3})+$|^[+-]?\d+(?:[.,]\d*)?e[+-]?\d+$/i

/** Fewer are a part of a number, or a short code. */
export const minDigits = 5

/** Why a text is not one phone number. */
export type NotANumber =
  | "few-digits"
  | "letters"
  | "no-number"
  | "several"
  | "spreadsheet-error"
  | "spreadsheet-number"
  | "trunk-zero"

/**
 * Address books put invisible direction marks around a number. A spreadsheet shows a number that begins with ' as it
 * is, and a list of results has it so. `="+234…"` is how others write a number as a text.
 */
const clean = (text: string): string =>
  text
    .replace(/\p{Cf}/gu, "")
    .trim()
    .replace(/^'(?=[+(\d=])/, "")
    .replace(/^="(.*)"$/, "$1")

const problemOf = (number: string): NotANumber | undefined => {
  if (number.startsWith("#")) return "spreadsheet-error"
  const text = asAscii(number)
  if (spreadsheetNumber.test(text)) return "spreadsheet-number"
  if (/\p{L}/u.test(text)) return "letters"
  const wide = wideForm(text)
  if (mayBeSeveral(text, wide)) return "several"
  if (!isWritten(text)) return "no-number"
  if (trunkZero.test(text)) return "trunk-zero"
  return wide.length < minDigits ? "few-digits" : undefined
}

/**
 * Reads a phone number as people and spreadsheets write it: without what stands around it, and with the reason if it
 * cannot be one phone number. A changed number belongs to somebody else, so nothing else is changed.
 */
export const read = (
  text: string
): { readonly number: string; readonly problem: NotANumber | undefined } => {
  const number = clean(text)
  return { number, problem: problemOf(number) }
}
