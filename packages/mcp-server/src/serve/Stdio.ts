/** MCP over a pair of streams, such as stdin and stdout. */
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import { type FactoryFor, statedWay } from "../mcp/McpCaller.ts"
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
  factoryFor: FactoryFor,
  { stdin, stdout }: Streams,
  onError: (error: Error) => void
): Effect.Effect<void> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const transport = new StdioServerTransport(stdin, stdout)
      let stated: unknown
      const handle = serveStdio((context) => factoryFor(stated)(context), {
        transport,
        onerror: onError
      })
      // The SDK does not show the message for which it makes a server.
      const { onmessage: receive } = transport
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no event target
      transport.onmessage = (message) => {
        if (statedWay(message, true) !== undefined) stated = message
        receive?.(message)
      }
      return handle
    }),
    () => Effect.raceFirst(ended(stdin), ended(stdout)),
    (handle) =>
      Effect.promise(() => handle.close()).pipe(
        // An open stdin keeps the process alive.
        Effect.andThen(Effect.sync(() => stdin.destroy()))
      )
  )
