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

/** What stands between two numbers: a plus sign begins another one. */
const betweenNumbers = /[,;،؛、]|(?<=\d)\s*(?=\+)|\s+(?=\(\s*\+)/u

/** What nobody sees can neither join two numbers nor part one. */
const seen = (recipient: string): string =>
  recipient.normalize("NFKC").replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")

/**
 * What a recipient names: its parts between commas, semicolons and plus signs. A name, or whatever
 * else is no number, counts as one.
 */
export const numbersIn = (recipient: string): ReadonlyArray<string> =>
  seen(recipient)
    .split(betweenNumbers)
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part))

/** Two of them in one part are two numbers that nothing clear stands between. */
const longRun = /\d{6,}/g

/**
 * Whether a part can be no more than one number. More digits than a number has, two long runs of them,
 * or what stands for "and" between digits, could be several to the service.
 */
export const isClear = (part: string): boolean => {
  const digits = part.replace(/\D/g, "").length
  const runs = part.match(longRun)?.length ?? 0
  return digits <= 15 && runs <= 1 && !/\d[^\d+]*[/|&\\][^\d+]*\d|\d\s*\p{L}+\s*\d/u.test(part)
}

const identityOfOne = (part: string): string =>
  part
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "")
    .replace(/^tel/, "")
    .replace(/^00/, "")

/**
 * The same for every spelling of the same numbers that a repeated call may use. It may also be the same
 * for two recipients that are no numbers, so it serves for finding duplicates only.
 */
export const identity = (recipient: string): string =>
  [...new Set(numbersIn(recipient).map(identityOfOne))].toSorted().join(",")

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

/** What only looks like the digits and the plus sign of a phone number, or is not seen at all. */
const unusual = /(?![0-9])\p{N}|\p{Cf}|\uff0b/u

/**
 * The numbers as they were compared, which are also the ones to send to: the service might read
 * another spelling as another number, or as several. `undefined` where one of the lists does not
 * allow one of them.
 */
export const allowed = (
  lists: ReadonlyArray<ReadonlyArray<AllowRule>>,
  recipient: string
): string | undefined => {
  if (unusual.test(recipient)) return undefined
  const normalized = numbersIn(recipient).map(normalize)
  // One number stands alone, without separators around it.
  if (normalized.length === 1 && normalize(recipient) !== normalized[0]) return undefined
  const isAllowed = (number: string) =>
    isOneNumber(number) &&
    lists.every((rules) =>
      rules.some(({ exact, start }) => (exact ? number === start : number.startsWith(start)))
    )
  return normalized.length > 0 && normalized.every(isAllowed) ? normalized.join(",") : undefined
}
