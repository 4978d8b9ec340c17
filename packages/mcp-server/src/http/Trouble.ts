/**
 * What went wrong beside an answer, fit for a log.
 *
 * A parser quotes the body and a header check quotes the header, so an error's own words stay
 * behind: its name and where it was thrown are what is left.
 */

const framesOf = ({ message, stack = "" }: Error): string =>
  stack.slice(stack.indexOf(message) + message.length)

export const trouble = (cause: unknown): Error => {
  const { name, frames } =
    cause instanceof Error
      ? { name: cause.name, frames: framesOf(cause) }
      : { name: typeof cause, frames: "" }
  const error = new Error(`The HTTP front met a problem: ${name}`)
  error.stack = `${error.name}: ${error.message}${frames}`
  return error
}
