/** The errors that only the promise client has. */
import * as Schema from "effect/Schema"
import { errorClass } from "./ErrorClass.ts"

/**
 * The caller's `AbortSignal` ended the call. Its `name` is `AbortError`, as the platform's is.
 *
 * `started` is false if the signal was aborted before the request started, so that nothing was
 * sent. `status` is the HTTP status, if the response had begun: the service accepted a send with
 * status 202.
 */
export class Aborted extends errorClass<Aborted>()(
  "Aborted",
  { started: Schema.Boolean, status: Schema.optionalKey(Schema.Int) },
  {
    message: ({ started, status }) =>
      started
        ? `The signal was aborted ${status === undefined ? "after the request may have started" : `in the body of HTTP ${status}`}`
        : "The signal was aborted before the request started: nothing was sent"
  }
) {
  override readonly name = "AbortError"
}

/** The client was closed before this call, or during `awaitSmsStatus`. Nothing was sent. */
export class ClientClosed extends errorClass<ClientClosed>()(
  "ClientClosed",
  {},
  {
    message: () => "The client is closed, and nothing was sent. Create another client"
  }
) {}
