/**
 * Who may be written to.
 */
import * as Recipient from "./Recipient.ts"

/** An exact number, or a prefix, which ends in `*`. */
export interface AllowRule {
  readonly start: string
  readonly exact: boolean
}

/** No country code starts with 0: such a prefix fits nothing, and was meant otherwise. */
const rule = /^(\+[1-9]\d{0,14}|\d{1,15})$/

/** `undefined` where the text is no number and no prefix. */
export const parseRule = (text: string): AllowRule | undefined => {
  const exact = !text.trim().endsWith("*")
  const start = Recipient.normalize(exact ? text.trim() : text.trim().slice(0, -1))
  return rule.test(start) ? { start, exact } : undefined
}

/**
 * The number as it was compared, which is also the one to send to: the service might read another
 * spelling as another number, or as several. `undefined` where no rule allows it.
 */
export const allowed = (rules: ReadonlyArray<AllowRule>, recipient: string): string | undefined => {
  const number = Recipient.normalize(recipient)
  const matches = rules.some(({ exact, start }) =>
    exact ? number === start : number.startsWith(start)
  )
  return matches && Recipient.isOneNumber(number) ? number : undefined
}
