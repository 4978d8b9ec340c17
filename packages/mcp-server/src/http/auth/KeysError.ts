/**
 * Bearer keys that the server cannot work with.
 */
import * as Schema from "effect/Schema"

/**
 * An entry is no named key, or there is none.
 *
 * `line` counts from 1. `problem` says what to change and repeats neither name nor key, because a
 * misplaced key stands where a name should.
 */
export class KeysError extends Schema.TaggedError<KeysError>()("KeysError", {
  line: Schema.Int,
  problem: Schema.String
}) {
  override get message(): string {
    return `Change line ${this.line} of the bearer keys: ${this.problem}`
  }
}
