/**
 * MCP over stdin and stdout.
 */
import type { McpServerFactory } from "@modelcontextprotocol/server"
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { pipeline } from "node:stream"
import { LineLimit } from "./LineLimit.ts"

/** Tells when the connection is over, which `serveStdio` keeps to itself. */
class StdioWire extends StdioServerTransport {
  readonly #onEnd: () => void

  constructor(input: LineLimit, onEnd: () => void) {
    super(input, process.stdout, { maxBufferSize: 2 * LineLimit.bytes })
    this.#onEnd = onEnd
  }

  override close(): Promise<void> {
    return super.close().finally(this.#onEnd)
  }
}

/**
 * Serves until the client closes stdin, or stdout breaks. Interrupting closes the connection.
 */
export const serve = (
  factory: McpServerFactory,
  onError: (error: Error) => void
): Effect.Effect<void> =>
  Effect.scoped(
    Effect.gen(function* () {
      const ended = yield* Deferred.make<void>()
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          const input = new LineLimit(onError)
          // Ends the input also where stdin breaks, which ends the connection.
          pipeline(process.stdin, input, () => {})
          const transport = new StdioWire(input, () => Deferred.doneUnsafe(ended, Effect.void))
          return serveStdio(factory, { transport, onerror: onError })
        }),
        (handle) =>
          Effect.promise(() => handle.close()).pipe(
            // An open stdin keeps the process alive.
            Effect.andThen(Effect.sync(() => process.stdin.destroy()))
          )
      )
      yield* Deferred.await(ended)
    })
  )
