/**
 * The events of the event stream.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { CurrentFault, StoredMessage, StoredRequest } from "../record/Model.ts"

const event = <const Name extends string, S extends Schema.Codec<unknown, unknown>>(
  name: Name,
  data: S,
  description: string
) =>
  Schema.Struct({ event: Schema.Literal(name), data: Schema.fromJsonString(data) }).annotate({
    description
  })

/**
 * One event: its name, and its data, which is one line of JSON on the wire.
 *
 * @since 0.1.0
 */
export const SandboxEvent = Schema.Union([
  event("message", StoredMessage, "A message was accepted, or its status changed"),
  event("request", StoredRequest, "A request ended"),
  event("fault", CurrentFault, "A fault was set, counted down, ran out or was cleared"),
  event(
    "cleared",
    Schema.Struct({ messages: Schema.Boolean, requests: Schema.Boolean }),
    "The messages or the requests were deleted"
  )
]).annotate({ identifier: "SandboxEvent" })

/**
 * One event: its name, and its data.
 *
 * @since 0.1.0
 */
export type SandboxEvent = typeof SandboxEvent.Type
