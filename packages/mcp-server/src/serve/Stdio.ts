/**
 * MCP over a pair of streams, such as stdin and stdout.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type JSONRPCMessage,
  type McpServerFactory
} from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { LineTransport, type Streams } from "./LineTransport.ts"

/** What the command is told about a connection. */
interface Observer {
  readonly onError: (error: Error) => void
  /** Called once, with the capabilities that the client states first. */
  readonly onClient: (capabilities: unknown) => void
}

/** A legacy client states its capabilities once, a modern one in each request. */
const capabilitiesIn = (message: JSONRPCMessage): unknown => {
  if (!("method" in message)) return undefined
  return message.method === "initialize"
    ? message.params?.["capabilities"]
    : message.params?._meta?.[CLIENT_CAPABILITIES_META_KEY]
}

/** Reports the end of the connection too, which `serveStdio` does not do. */
const open = (
  factory: McpServerFactory,
  streams: Streams,
  { onClient, onError }: Observer,
  onEnd: () => void
) => {
  let isKnown = false
  const onMessage = (message: JSONRPCMessage): void => {
    if (isKnown) return
    const capabilities = capabilitiesIn(message)
    isKnown = capabilities !== undefined
    if (isKnown) onClient(capabilities)
  }
  const transport = new LineTransport(streams, { onMessage, onEnd })
  return serveStdio(factory, { transport, onerror: onError })
}

/**
 * Serves until the client closes `stdin`, or `stdout` breaks. Interrupting closes the connection.
 */
export const serve = (
  factory: McpServerFactory,
  streams: Streams,
  observer: Observer
): Effect.Effect<void> =>
  Effect.scoped(
    Effect.gen(function* () {
      const ended = yield* Deferred.make<void>()
      yield* Effect.acquireRelease(
        Effect.sync(() =>
          open(factory, streams, observer, () => Deferred.doneUnsafe(ended, Effect.void))
        ),
        (handle) =>
          Effect.promise(() => handle.close()).pipe(
            // An open stdin keeps the process alive.
            Effect.andThen(Effect.sync(() => streams.stdin.destroy()))
          )
      )
      yield* Deferred.await(ended)
    })
  )
