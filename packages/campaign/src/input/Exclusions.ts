/**
 * A list of numbers that are not written to.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Csv from "./CsvParser.ts"
import * as Digests from "./Digests.ts"
import { InputError } from "./InputError.ts"
import * as Recipient from "./Recipient.ts"
import type { Source } from "./Source.ts"

export interface Exclusions {
  readonly has: (recipient: string) => boolean
}

const digestOf = (recipient: string) => Digests.digestOf(Recipient.identityOf(recipient))

/** A number that is not normalised has no row that it excludes, but it costs nothing to keep it. */
const normalized = (recipient: string, normalize: Recipient.Normalize | undefined): string => {
  const result = normalize?.(recipient)
  return result !== undefined && "number" in result ? result.number : recipient
}

/**
 * Reads a list: one number per line, or CSV with a column `recipient`. Fails at the first line that is no
 * number, because it may be somebody who must not be written to.
 */
export const read = (
  { bytes, name }: Source,
  normalize: Recipient.Normalize | undefined
): Effect.Effect<Exclusions, InputError> =>
  Effect.suspend(() => {
    const digests = Digests.make()
    const parser = Csv.make(name, { ignoreColumns: true, isNumbersOnly: true })
    const fail = (line: number, problem: string) =>
      Effect.fail(new InputError({ file: name, line, problem, isUsage: true }))

    return Stream.concat(
      Stream.mapEffect(bytes, parser.push),
      Stream.fromEffect(Effect.suspend(() => parser.end))
    ).pipe(
      Stream.runForEach((records) =>
        Effect.gen(function* () {
          for (const record of records) {
            if (record._tag === "InvalidRow") return yield* fail(record.line, record.problem)
            const recipient = Recipient.clean(record.cells.get("recipient") ?? "")
            // A row of a customer without a number.
            if (recipient === "") continue
            const number = normalized(recipient, normalize)
            const problem = Recipient.problemOf(recipient) ?? Recipient.problemAsItIs(number)
            if (problem !== undefined) return yield* fail(record.line, problem)
            digests.count(digestOf(number))
          }
        })
      ),
      Effect.as({ has: (recipient) => digests.has(digestOf(recipient)) })
    )
  })
