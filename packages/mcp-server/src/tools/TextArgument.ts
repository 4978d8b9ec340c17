/**
 * Text arguments of tools.
 */
import * as Schema from "effect/Schema"

/** Not empty. */
export const filled = (text: Schema.String): Schema.String => text.check(Schema.isMinLength(1))

/**
 * One line, and not empty. A filter, so that the limit stays out of `tools/list`, which every
 * conversation carries.
 */
export const oneLine = (text: Schema.String, longest = 500): Schema.String =>
  filled(text).check(
    Schema.makeFilter((value: string) =>
      value.length > longest || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)
        ? `Expected one line of at most ${longest} characters, without control characters`
        : undefined
    )
  )
