/**
 * Phone numbers as far as they can be compared without knowing their format, and which of them may
 * be written to.
 */

/** What people put between digits on one line. */
const separators = /[ \u00a0\u2007\u2009\u202f().\-\u2010-\u2015]/gu

/** Without separators, and with `+` for a leading `00`. Other characters stay as they are. */
export const normalize = (recipient: string): string =>
  recipient.replace(separators, "").replace(/^00/, "+")

/** E.164 numbers have at most 15 digits: more are several numbers. */
const oneNumber = /^\+?\d{1,15}$/

/** Whether this is one number and nothing else, such as a list of numbers. */
export const isOneNumber = (normalized: string): boolean => oneNumber.test(normalized)

/**
 * The same for every spelling of one number that a repeated call may use. It may also be the same
 * for two recipients that are no numbers, so it serves for finding duplicates only.
 */
export const identity = (recipient: string): string =>
  recipient
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N},;]/gu, "")
    .replace(/^tel/, "")
    .replace(/[,;]+$/, "")
    .replace(/^00/, "")

/** An exact number, or a prefix, which is written with `*` at its end. */
export interface AllowRule {
  readonly start: string
  readonly exact: boolean
}

/** No country code starts with 0: such a prefix matches nothing, so it is a mistake. */
const rule = /^(\+[1-9]\d{0,14}|\d{1,15})$/

/** `undefined` where the text is no number and no prefix. */
export const parseAllowRule = (text: string): AllowRule | undefined => {
  const exact = !text.trim().endsWith("*")
  const start = normalize(exact ? text.trim() : text.trim().slice(0, -1))
  return rule.test(start) ? { start, exact } : undefined
}

/**
 * The number as it was compared, which is also the one to send to: the service might read another
 * spelling as another number, or as several. `undefined` where no rule allows it.
 */
export const allowed = (rules: ReadonlyArray<AllowRule>, recipient: string): string | undefined => {
  const number = normalize(recipient)
  const matches = rules.some(({ exact, start }) =>
    exact ? number === start : number.startsWith(start)
  )
  return matches && isOneNumber(number) ? number : undefined
}
