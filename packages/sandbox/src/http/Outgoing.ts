/** A response, independent of the transport. */
import * as Data from "effect/Data"
import * as Stream from "effect/Stream"

/** The connection is reset, before the response or within it. */
export class ConnectionReset extends Data.TaggedError("ConnectionReset") {}

export const bodyOf = ({ body }: Response): Stream.Stream<Uint8Array, ConnectionReset> =>
  body === null
    ? Stream.empty
    : Stream.fromReadableStream({ evaluate: () => body, onError: () => new ConnectionReset() })
