/**
 * Why a tool did not do what it was asked.
 */
import * as Data from "effect/Data"

/**
 * An answer to the model in our own words: nothing of it comes from the service.
 *
 * `text` says in its first sentence what happened and then what to do next. `code` and `details` say
 * the same to a program; they reach it in `_meta`.
 */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly code: string
  readonly text: string
  readonly details?: Readonly<Record<string, string | number>>
}> {
  override get message(): string {
    return this.text
  }
}
