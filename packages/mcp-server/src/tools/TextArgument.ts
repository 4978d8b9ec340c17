/**
 * Checks of the text arguments of tools.
 */
import * as Schema from "effect/Schema"

export const nonEmpty = (text: Schema.String): Schema.String => text.check(Schema.isMinLength(1))

/**
 * Accepts one line that is not empty. The limit is a filter, which keeps it out of `tools/list`: that
 * list is part of every conversation, so its size matters.
 */
export const oneLine = (text: Schema.String, maxLength = 500): Schema.String =>
  nonEmpty(text).check(
    Schema.makeFilter((value: string) =>
      value.length > maxLength || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)
        ? `Expected one line of at most ${maxLength} characters, without control characters`
        : undefined
    )
  )
