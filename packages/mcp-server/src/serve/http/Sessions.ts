/**
 * The sessions of legacy clients: before the revision 2026-07-28, clients start with a handshake.
 *
 * A session stays on the server where it was opened, and belongs to the principal that opened it. Legacy
 * clients often leave without closing theirs, so the one that was used least recently is closed when
 * there are too many.
 */
import * as Schema from "effect/Schema"
import {
  type HandleRequestOptions,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import { identityOf } from "../../mcp/McpCaller.ts"
import type { Identity } from "../../send/Rules.ts"

interface Session extends Identity {
  readonly transport: WebStandardStreamableHTTPServerTransport
}

const maxSessions = 100

const isCancellation = Schema.is(
  Schema.Struct({
    method: Schema.Literal("notifications/cancelled"),
    params: Schema.Struct({ requestId: Schema.Union([Schema.String, Schema.Finite]) })
  })
)

export const make = (factory: McpServerFactory, report: (cause: unknown) => void) => {
  /** In the order of their last use. */
  const sessions = new Map<string, Session>()

  const close = ({ transport }: Session) => transport.close().catch(report)

  /** Serves an `initialize` request, which opens a session if the SDK accepts it. */
  const open = async (request: Request, options: HandleRequestOptions) => {
    const id = crypto.randomUUID()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: async () => {
        // Without waiting in between, so that concurrent requests cannot exceed the maximum.
        const [oldest] = sessions.size < maxSessions ? [] : sessions.values()
        sessions.set(id, { ...identityOf(options.authInfo), transport })
        if (oldest !== undefined) await close(oldest)
      }
    })
    Object.assign(transport, { onclose: () => sessions.delete(id), onerror: report })
    const server = await factory({ era: "legacy", requestInfo: request })
    await server.connect(transport)
    return transport.handleRequest(request, options)
  }

  /** Returns `undefined` if there is no such session. */
  const resume = async (id: string, request: Request, options: HandleRequestOptions) => {
    const session = sessions.get(id)
    const { clientId, principal } = identityOf(options.authInfo)
    // For another principal, or another client of the same principal, the session does not exist.
    if (session?.principal !== principal || session.clientId !== clientId) return undefined
    sessions.delete(id)
    sessions.set(id, session)
    const { transport } = session
    const response = await transport.handleRequest(request, options)
    // The SDK never ends the response to a call that was cancelled.
    const { parsedBody } = options
    if (isCancellation(parsedBody)) transport.closeSSEStream(parsedBody.params.requestId)
    return response
  }

  return { open, resume, closeAll: () => Promise.all([...sessions.values()].map(close)) }
}
