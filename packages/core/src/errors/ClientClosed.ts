/**
 * A call of a promise client that was disposed of.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { visible } from "../internal/ErrorRendering.ts"

/**
 * The client was disposed of before this call. Nothing was sent.
 *
 * @since 0.1.0
 */
export class ClientClosed extends Schema.TaggedError<ClientClosed>()("ClientClosed", {}) {
  override get message(): string {
    return "The client was closed before this call: nothing was sent. Create another client"
  }
  override toJSON(): object {
    return visible(this)
  }
}
