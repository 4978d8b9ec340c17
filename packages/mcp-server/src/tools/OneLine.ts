/**
 * Text arguments that are one line, and not empty.
 */
import * as Schema from "effect/Schema"
import { filled } from "./Filled.ts"

/**
 * Its own words refuse it. The list of the tools does not show the limit: nobody comes near it who
 * means well, and every conversation carries that list.
 */
export const oneLine = (text: Schema.String, longest = 500): Schema.String =>
  filled(text).check(
    Schema.makeFilter((value: string) =>
      value.length > longest || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)
        ? `Expected one line of at most ${longest} characters, without control characters`
        : undefined
    )
  )
