/**
 * MCP over a pair of streams, such as stdin and stdout.
 */
import type { McpServerFactory } from "@modelcontextprotocol/server"
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Readable, Writable } from "node:stream"

export interface Streams {
  readonly stdin: Readable
  readonly stdout: Writable
}

/** The SDK's transport, which also tells when the connection has ended: `serveStdio` does not. */
class EndingTransport extends StdioServerTransport {
  readonly #onEnd: () => void

  constructor({ stdin, stdout }: Streams, onEnd: () => void) {
    super(stdin, stdout)
    this.#onEnd = onEnd
  }

  override close(): Promise<void> {
    return super.close().finally(this.#onEnd)
  }
}

/**
 * Serves until the client closes `stdin`, or `stdout` breaks. Interrupting closes the connection.
 */
export const serve = (
  factory: McpServerFactory,
  streams: Streams,
  onError: (error: Error) => void
): Effect.Effect<void> =>
  Effect.scoped(
    Effect.gen(function* () {
      const ended = yield* Deferred.make<void>()
      const transport = new EndingTransport(streams, () => Deferred.doneUnsafe(ended, Effect.void))
      yield* Effect.acquireRelease(
        Effect.sync(() => serveStdio(factory, { transport, onerror: onError })),
        (handle) =>
          Effect.promise(() => handle.close()).pipe(
            // An open stdin keeps the process alive.
            Effect.andThen(Effect.sync(() => streams.stdin.destroy()))
          )
      )
      yield* Deferred.await(ended)
    })
  )
