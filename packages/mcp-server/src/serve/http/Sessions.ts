/**
 * The sessions of legacy clients: before the revision 2026-07-28, clients start with a handshake.
 *
 * A session stays on the server where it was opened, and belongs to the principal that opened it. Legacy
 * clients often leave without closing theirs, so the one that was used least recently is closed when
 * there are too many.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  type AuthInfo,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import { identityOf } from "../../mcp/McpCaller.ts"
import type { Identity } from "../../send/Rules.ts"
import { maxBodyBytes } from "./Web.ts"

/** A request with its parsed body; `undefined` if it has none. */
interface Incoming {
  readonly request: Request
  readonly body: unknown
  readonly authInfo: AuthInfo | undefined
}

interface Session extends Identity {
  readonly transport: WebStandardStreamableHTTPServerTransport
  usedAt: number
}

const maxSessions = 100

/** Longer than a person may take to decide. */
const maxIdle = Duration.minutes(30)

/** The SDK's code and text: legacy clients open a new session when they receive them. */
const notFound = (): Response =>
  Response.json(
    { jsonrpc: "2.0", error: { code: -32001, message: "Session not found" }, id: null },
    { status: 404 }
  )

const isCancellation = Schema.is(
  Schema.Struct({
    method: Schema.Literal("notifications/cancelled"),
    params: Schema.Struct({ requestId: Schema.Union([Schema.String, Schema.Finite]) })
  })
)

const byAuth = (authInfo: AuthInfo | undefined) => (authInfo === undefined ? {} : { authInfo })

export const make = Effect.fnUntraced(function* (
  factory: McpServerFactory,
  report: (cause: unknown) => void
) {
  const clock = yield* Clock.Clock
  /** In the order of their last use. */
  const sessions = new Map<string, Session>()

  const close = ({ transport }: Session) => transport.close().catch(report)

  const handle = async (id: string, session: Session, { authInfo, body, request }: Incoming) => {
    sessions.delete(id)
    sessions.set(id, session)
    session.usedAt = clock.currentTimeMillisUnsafe()
    const response = await session.transport.handleRequest(request, {
      parsedBody: body,
      ...byAuth(authInfo)
    })
    // The SDK never ends the response to a call that was cancelled.
    if (isCancellation(body)) session.transport.closeSSEStream(body.params.requestId)
    return response
  }

  /** Opens a session with an `initialize` request. */
  const open = async (incoming: Incoming) => {
    const { authInfo, request } = incoming
    const id = crypto.randomUUID()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize: maxBodyBytes
    })
    const session: Session = { ...identityOf(authInfo), transport, usedAt: 0 }
    // Without waiting in between, so that concurrent requests cannot exceed the maximum.
    const [oldest] = sessions.size < maxSessions ? [] : sessions.values()
    sessions.set(id, session)
    Object.assign(transport, { onclose: () => sessions.delete(id), onerror: report })
    if (oldest !== undefined) await close(oldest)
    try {
      const server = await factory({ era: "legacy", requestInfo: request, ...byAuth(authInfo) })
      await server.connect(transport)
      return await handle(id, session, incoming)
    } finally {
      // A request that opened nothing leaves no session.
      if (transport.sessionId === undefined) {
        sessions.delete(id)
        await close(session)
      }
    }
  }

  const resume = (id: string, incoming: Incoming) => {
    const session = sessions.get(id)
    const { clientId, principal } = identityOf(incoming.authInfo)
    // For another principal, or another client of the same principal, the session does not exist.
    return session === undefined || session.principal !== principal || session.clientId !== clientId
      ? Promise.resolve(notFound())
      : handle(id, session, incoming)
  }

  const closeIf = (isOver: (session: Session) => boolean) =>
    Effect.suspend(() =>
      Effect.forEach(
        [...sessions.values()].filter(isOver),
        (session) => Effect.promise(() => close(session)),
        { discard: true }
      )
    )

  const sweep = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    closeIf(({ usedAt }) => now - usedAt >= Duration.toMillis(maxIdle))
  )
  yield* Effect.forkScoped(Effect.forever(Effect.delay(sweep, "1 minute")))

  return { open, resume, closeAll: closeIf(() => true) }
})
