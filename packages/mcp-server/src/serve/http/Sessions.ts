/**
 * The sessions of legacy clients: before the revision 2026-07-28, clients start with a handshake.
 *
 * A session stays on the server where it was opened, and belongs to the caller that opened it. Legacy clients
 * often leave without closing theirs, so when there are too many, the one that was used least recently is closed:
 * of a caller with many, one of its own, so that no caller keeps others out. One with an open request is never
 * closed: its SMS would go out without a result, or a person reads its question.
 */
import * as Schema from "effect/Schema"
import {
  type HandleRequestOptions,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import { type FactoryFor, identityOf } from "../../mcp/McpCaller.ts"
import type { ServerResponse } from "node:http"
import type { Identity } from "../../send/Caller.ts"

interface Session extends Identity {
  readonly transport: WebStandardStreamableHTTPServerTransport
  /** How many of its requests have no complete response. Streams that wait for news do not count. */
  requests: number
}

/** How many sessions there may be. */
export interface Maximum {
  readonly ofAll: number
  /** If there are several callers. */
  readonly ofCaller: number
}

export const maximum: Maximum = { ofAll: 1_000, ofCaller: 200 }

const isCancellation = Schema.is(
  Schema.Struct({
    method: Schema.Literal("notifications/cancelled"),
    params: Schema.Struct({ requestId: Schema.Union([Schema.String, Schema.Finite]) })
  })
)

export const make = (
  factoryFor: FactoryFor,
  onError: (cause: unknown) => void,
  /** Is told whose session is closed for a new one. */
  closing: (caller: Identity) => void,
  hasSeveralCallers: boolean,
  { ofAll, ofCaller }: Maximum
) => {
  const maxOfCaller = hasSeveralCallers ? ofCaller : ofAll
  /** In the order of their last use. */
  const sessions = new Map<string, Session>()

  const close = ({ transport }: Session) => transport.close().catch(onError)

  /** The session in whose place a new one of the caller comes, or "free". Undefined: all are in use. */
  const placeFor = ({ id: caller }: Identity): Session | "free" | undefined => {
    const isIdle = ({ requests }: Session) => requests === 0
    const all = [...sessions.values()]
    const own = all.filter((session) => session.id === caller)
    if (own.length >= maxOfCaller) return own.find(isIdle)
    return all.length < ofAll ? "free" : all.find(isIdle)
  }

  /** Serves an `initialize` request, which opens a session if the SDK accepts it. Undefined: all are in use. */
  const open = async (request: Request, options: HandleRequestOptions) => {
    const caller = identityOf(options.authInfo)
    if (placeFor(caller) === undefined) return undefined
    const id = crypto.randomUUID()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: async () => {
        // Without waiting in between, so that concurrent requests cannot exceed the maximum.
        const place = placeFor(caller)
        sessions.set(id, { ...caller, transport, requests: 0 })
        if (typeof place !== "object") return
        closing(place)
        await close(place)
      }
    })
    Object.assign(transport, { onclose: () => sessions.delete(id), onerror: onError })
    const server = await factoryFor(options.parsedBody)({ era: "legacy", requestInfo: request })
    await server.connect(transport)
    return transport.handleRequest(request, options)
  }

  /** Returns `undefined` if there is no such session. */
  const resume = async (
    id: string,
    request: Request,
    options: HandleRequestOptions,
    outgoing: ServerResponse
  ) => {
    const session = sessions.get(id)
    const caller = identityOf(options.authInfo)
    // For another caller, or another client of the same caller, the session does not exist.
    if (session?.id !== caller.id || session.clientId !== caller.clientId) return undefined
    sessions.delete(id)
    sessions.set(id, session)
    const { transport } = session
    if (request.method === "POST") {
      session.requests += 1
      outgoing.once("close", () => (session.requests -= 1))
    }
    const response = await transport.handleRequest(request, options)
    // The SDK never ends the response to a call that was cancelled.
    const { parsedBody } = options
    if (isCancellation(parsedBody)) transport.closeSSEStream(parsedBody.params.requestId)
    return response
  }

  return { open, resume, closeAll: () => Promise.all([...sessions.values()].map(close)) }
}
