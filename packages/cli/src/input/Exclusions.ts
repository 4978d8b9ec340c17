/** A list of numbers that are not written to. */
import { Phone } from "@messaging-topup/core/internal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Csv from "./Csv.ts"
import * as Digests from "./Digests.ts"
import { InputError } from "../Failure.ts"
import * as Recipient from "./Recipient.ts"
import type { InvalidRow, RawRow } from "./Row.ts"
import { kept, type Source } from "./Source.ts"
import { decoded, encodingOf } from "./Encoding.ts"

/** Whether a number is on the list. */
export type IsExcluded = (recipient: string) => boolean

/**
 * Reads a list: one number per line, or CSV with a column `recipient`. Fails at the first line that is no
 * number, because it may be somebody who must not be written to, and if there is no number: it may be about to be
 * saved.
 */
export const read = Effect.fnUntraced(function* (
  given: Source,
  normalize: Recipient.Normalize | undefined
): Effect.fn.Return<IsExcluded, InputError> {
  const source = yield* kept(given)
  const digests = Digests.make()
  let isEmpty = true

  /** Adds a row of the list, or returns its problem. */
  const problemOf = (record: InvalidRow | RawRow): string | undefined => {
    if (record._tag === "InvalidRow") return record.problem
    const recipient = Recipient.clean(record.cells.get("recipient") ?? "")
    if (recipient === "") return undefined
    // A number that cannot be normalised is that of no row, but it costs nothing to keep it.
    const normal = normalize?.(recipient)
    const number = normal !== undefined && "number" in normal ? normal.number : recipient
    isEmpty = false
    digests.count(Phone.wideForm(number))
    return Recipient.problemOf(recipient) ?? Recipient.problemAsItIs(number)
  }

  const text = decoded(source, (yield* encodingOf(source)).encoding)
  const records = Csv.records(source.name, text, { ignoreColumns: true, only: "recipient" })
  yield* Stream.runForEach(
    records,
    Effect.fnUntraced(function* (record) {
      const problem = problemOf(record)
      if (problem === undefined) return
      const { line } = record
      return yield* Effect.fail(
        new InputError({ file: source.name, line, problems: [problem], isUsage: true })
      )
    })
  )
  if (isEmpty) {
    const problem = "it has no number: if nobody is excluded, leave out --exclude"
    return yield* Effect.fail(
      new InputError({ file: source.name, problems: [problem], isUsage: true })
    )
  }
  return (recipient) => digests.has(Phone.wideForm(recipient))
})
