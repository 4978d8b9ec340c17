/** The rules of `--allow-recipients`. */
import { Phone } from "@messaging-topup/core/internal"

/** An exact number, or a prefix: a rule that ends in `*`. */
export interface AllowRule {
  readonly start: string
  readonly exact: boolean
}

/** No country code starts with 0, so `+0` would match nothing and must be a mistake. */
const rule = /^(\+[1-9]\d{0,14}|\d{1,15})$/

/** A number is read as a recipient is: a spreadsheet may have made another one of it. A short one may be meant. */
const numberOf = (text: string): string | undefined => {
  const { number, problem } = Phone.read(text)
  const sent = Phone.sentForm(number)
  const isShort = problem === "few-digits" && !sent.startsWith("+")
  return problem === undefined || isShort ? sent : undefined
}

/** Returns `undefined` if the text is neither a number nor a prefix. */
export const parseAllowRule = (text: string): AllowRule | undefined => {
  const exact = !text.trim().endsWith("*")
  const start = exact ? numberOf(text) : Phone.sentForm(text.trim().slice(0, -1))
  return start !== undefined && rule.test(start) ? { start, exact } : undefined
}

/** Whether a rule is this number, and not a prefix of it. */
export const isNamed = (rules: ReadonlyArray<AllowRule>, number: string): boolean =>
  rules.some(({ exact, start }) => exact && start === number)

/**
 * Returns the number in the form that was compared, or `undefined` if the list does not allow it. Send to what
 * is returned: the service could read another spelling as another number, or as several.
 */
export const allowed = (rules: ReadonlyArray<AllowRule>, recipient: string): string | undefined => {
  const number = Phone.sentForm(recipient)
  // Digits of other scripts and invisible characters are no part of one number either.
  const isAllowed = rules.some(({ exact, start }) =>
    exact ? number === start : number.startsWith(start)
  )
  return isAllowed && Phone.isOneNumber(number) ? number : undefined
}
