/**
 * A list of numbers that are not written to.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Digests from "./Digests.ts"
import { InputError } from "./InputError.ts"
import * as ListFile from "./ListFile.ts"
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
  source: Source,
  normalize: Recipient.Normalize | undefined
): Effect.Effect<Exclusions, InputError> =>
  Effect.suspend(() => {
    const digests = Digests.make()
    return ListFile.read(source, "recipient").pipe(
      Stream.runForEach(
        Effect.fnUntraced(function* (listed) {
          for (const { line, value } of listed) {
            const recipient = Recipient.clean(value)
            if (recipient === "") continue
            const number = normalized(recipient, normalize)
            const problem = Recipient.problemOf(recipient) ?? Recipient.problemAsItIs(number)
            if (problem !== undefined) {
              return yield* new InputError({ file: source.name, line, problem, isUsage: true })
            }
            digests.count(digestOf(number))
          }
        })
      ),
      Effect.as({ has: (recipient) => digests.has(digestOf(recipient)) })
    )
  })
