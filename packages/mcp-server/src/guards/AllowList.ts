/**
 * Who may be written to.
 */
import * as Recipient from "./Recipient.ts"

/** An exact number, or a prefix, which ends in `*`. */
export interface AllowRule {
  readonly start: string
  readonly exact: boolean
}

/** `undefined` where the text is no number and no prefix. */
export const parseRule = (text: string): AllowRule | undefined => {
  const exact = !text.trim().endsWith("*")
  const start = Recipient.normalize(exact ? text : text.trim().slice(0, -1))
  return Recipient.isOneNumber(start) ? { start, exact } : undefined
}

/**
 * A recipient with anything but digits in it is on no list: the service might read it as several
 * numbers.
 */
export const allows = (rules: ReadonlyArray<AllowRule>, recipient: string): boolean => {
  const number = Recipient.normalize(recipient)
  return (
    Recipient.isOneNumber(number) &&
    rules.some(({ exact, start }) => (exact ? number === start : number.startsWith(start)))
  )
}
