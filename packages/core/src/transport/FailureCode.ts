/** The platform's code of a failure. */
import * as Predicate from "effect/Predicate"

/** A `cause` chain is short. The limit protects against one that points to itself. */
const maxDepth = 8

const codeShape = /^[A-Za-z][A-Za-z0-9_]{1,63}$/

/** Returns the code, such as `ECONNRESET`, and never the message: that can repeat the request. */
export const failureCode = (failure: unknown, depth = 0): string | undefined => {
  if (!Predicate.isObject(failure) || depth > maxDepth) return undefined
  const code: unknown = Reflect.get(failure, "code")
  return Predicate.isString(code) && codeShape.test(code)
    ? code
    : failureCode(Reflect.get(failure, "cause"), depth + 1)
}
