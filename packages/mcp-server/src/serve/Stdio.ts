/** MCP over a pair of streams, such as stdin and stdout. */
import type { McpServerFactory } from "@modelcontextprotocol/server"
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import * as Effect from "effect/Effect"
import type { Readable, Writable } from "node:stream"
import { finished } from "node:stream/promises"

export interface Streams {
  readonly stdin: Readable
  readonly stdout: Writable
}

/** Completes when the stream has ended, or breaks. */
const ended = (stream: Readable | Writable): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise((signal) => finished(stream, { signal })))

/** Serves until the client closes `stdin`, or `stdout` breaks. Interrupting closes the connection. */
export const serve = (
  factory: McpServerFactory,
  { stdin, stdout }: Streams,
  onError: (error: Error) => void
): Effect.Effect<void> =>
  Effect.acquireUseRelease(
    Effect.sync(() =>
      serveStdio(factory, { transport: new StdioServerTransport(stdin, stdout), onerror: onError })
    ),
    () => Effect.raceFirst(ended(stdin), ended(stdout)),
    (handle) =>
      Effect.promise(() => handle.close()).pipe(
        // An open stdin keeps the process alive.
        Effect.andThen(Effect.sync(() => stdin.destroy()))
      )
  )
