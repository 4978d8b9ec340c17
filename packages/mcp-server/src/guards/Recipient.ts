/**
 * Phone numbers as far as they can be compared without knowing their format.
 */

/** Spaces of every kind, dashes, dots and brackets: what people put between digits. */
const separators = /[\s\u2010-\u2015().-]/gu

/** Without separators, and with `+` for a leading `00`. Other characters stay as they are. */
export const normalize = (recipient: string): string =>
  recipient.replace(separators, "").replace(/^00/, "+")

/** Whether this is one number and nothing else, such as a list of numbers. */
export const isOneNumber = (normalized: string): boolean => /^\+?\d+$/.test(normalized)

/** The same for two spellings of one number, also where one of them leaves out the `+`. */
export const identity = (recipient: string): string => normalize(recipient).replace(/^\+/, "")
