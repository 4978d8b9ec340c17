/**
 * The caller's own signal ended a call of the promise client.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { visible } from "../internal/ErrorRendering.ts"

/**
 * The caller's `AbortSignal` ended the call. Its `name` is `AbortError`, as the platform's is.
 *
 * `started` is false where the signal was aborted before the call: then nothing was sent.
 *
 * @since 0.1.0
 */
export class Aborted extends Schema.TaggedError<Aborted>()("Aborted", {
  started: Schema.Boolean
}) {
  override readonly name = "AbortError"
  override get message(): string {
    return this.started
      ? "The call was aborted. After a send, ask sendOutcome before any second send"
      : "The signal was aborted before the call: nothing was sent"
  }
  override toJSON(): object {
    return visible(this)
  }
}
