/** What can be said about a phone number without knowing its country. */

/** The international prefix in most countries, and in the United States. */
const dialledPrefix = /^(?:00|011)/

/** E.164 numbers have at most 15 digits. */
const maxDigits = 15

/** Two of them in one text are probably two numbers. */
const longRun = /\p{Nd}{6,}/gu

/**
 * Returns the digits of a text, without the prefix that is dialled before the calling code.
 */
export const phoneDigits = (text: string): string =>
  text.replace(/\P{Nd}/gu, "").replace(dialledPrefix, "")

/**
 * Whether a text may be more than one phone number: it has more digits than a number can have, or two runs
 * of six or more digits. The service could read it as several recipients.
 */
export const mayBeSeveralNumbers = (text: string): boolean =>
  phoneDigits(text).length > maxDigits || (text.match(longRun)?.length ?? 0) > 1
