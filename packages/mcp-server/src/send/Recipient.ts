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

/** Blanks stand inside of a number, too; a plus sign begins another one. */
const blankBetweenNumbers = /(?<=\d)\s+(?=\+\d)/u

/**
 * The numbers that a recipient names: between commas, semicolons and blanks. A name, or whatever else
 * is no number, counts as one.
 */
export const numbersIn = (recipient: string): ReadonlyArray<string> =>
  recipient
    .split(/[,;]/)
    .flatMap((part) => part.split(blankBetweenNumbers))
    .flatMap((part) => {
      const words = part.trim().split(/\s+/)
      const isOne =
        oneNumber.test(normalize(part)) || !words.every((word) => /^\+?\d{7,}$/.test(word))
      return isOne ? [part.trim()] : words
    })
    .filter((part) => part !== "")

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
 * The numbers as they were compared, which are also the ones to send to: the service might read
 * another spelling as another number, or as several. `undefined` where one of the lists does not
 * allow one of them.
 */
export const allowed = (
  lists: ReadonlyArray<ReadonlyArray<AllowRule>>,
  numbers: ReadonlyArray<string>
): string | undefined => {
  const normalized = numbers.map(normalize)
  const isAllowed = (number: string) =>
    isOneNumber(number) &&
    lists.every((rules) =>
      rules.some(({ exact, start }) => (exact ? number === start : number.startsWith(start)))
    )
  return normalized.every(isAllowed) ? normalized.join(",") : undefined
}
