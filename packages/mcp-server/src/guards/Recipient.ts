/**
 * Phone numbers as far as they can be compared without knowing their format.
 */

/** What people put between digits on one line. */
const separators = /[ \u00a0\u2007\u2009\u202f().\-\u2010-\u2015]/gu

/** Without separators, and with `+` for a leading `00`. Other characters stay as they are. */
export const normalize = (recipient: string): string =>
  recipient.replace(separators, "").replace(/^00/, "+")

/** E.164 has no longer ones: more digits are several numbers. */
const oneNumber = /^\+?\d{1,15}$/

/** Whether this is one number and nothing else, such as a list of numbers. */
export const isOneNumber = (normalized: string): boolean => oneNumber.test(normalized)

/**
 * The same for every spelling of one number that a repeated call may come with. It may also be the
 * same for two recipients that are no numbers, so it serves for finding duplicates only.
 */
export const identity = (recipient: string): string =>
  recipient
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N},;]/gu, "")
    .replace(/^tel/, "")
    .replace(/[,;]+$/, "")
    .replace(/^00/, "")
