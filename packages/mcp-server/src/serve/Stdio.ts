/** MCP over a pair of streams, such as stdin and stdout. */
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import { type FactoryFor, statedWay } from "../mcp/McpCaller.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { pipeline, type Readable, type Writable } from "node:stream"
import { finished } from "node:stream/promises"
import { Utf8Lines } from "./Utf8Lines.ts"

export interface Streams {
  readonly stdin: Readable
  readonly stdout: Writable
}

/** Completes when the stream has ended, or breaks. */
const ended = (stream: Readable | Writable): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise((signal) => finished(stream, { signal })))

/** With other letters in place of what is not UTF-8. */
const read = Option.liftThrowable((line: Buffer): unknown => JSON.parse(line.toString()))

/** The error for a request that is not UTF-8. What is no request gets no response. */
const refusalOf = (line: Buffer) => {
  const request = Option.getOrUndefined(read(line))
  if (!Predicate.hasProperty(request, "method") || !Predicate.hasProperty(request, "id")) return []
  const { id } = request
  if (!Predicate.isString(id) && !Predicate.isNumber(id)) return []
  const message = "Nothing was done: the request is not UTF-8"
  return [{ jsonrpc: "2.0", id, error: { code: -32700, message } } as const]
}

/** Serves until the client closes `stdin`, or `stdout` breaks. Interrupting closes the connection. */
export const serve = (
  factoryFor: FactoryFor,
  { stdin, stdout }: Streams,
  onError: (error: Error) => void
): Effect.Effect<void> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const lines = new Utf8Lines((line) => {
        for (const refusal of refusalOf(line)) transport.send(refusal).catch(onError)
      })
      pipeline(stdin, lines, () => {})
      // Each response that waits for a slow client is a listener. Node would warn of eleven, on a stderr of JSON lines.
      stdout.setMaxListeners(0)
      const transport = new StdioServerTransport(lines, stdout)
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
      return { handle, lines }
    }),
    ({ lines }) => Effect.raceFirst(ended(lines), ended(stdout)),
    ({ handle }) =>
      Effect.promise(() => handle.close()).pipe(
        // An open stdin keeps the process alive.
        Effect.andThen(Effect.sync(() => stdin.destroy()))
      )
  )
