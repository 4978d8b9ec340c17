/**
 * The sessions of legacy clients: before the revision 2026-07-28, clients start with a handshake.
 *
 * A session stays on the server where it was opened, and belongs to the principal that opened it.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AuthInfo, McpServerFactory } from "@modelcontextprotocol/server"
import { identityOf } from "../../mcp/McpCaller.ts"
import type { Identity } from "../../send/Rules.ts"
import { internalError, errorResponse, sessionNotFound } from "./JsonRpcErrors.ts"
import { maxBodyBytes } from "./Limits.ts"
import { SessionTransport } from "./SessionTransport.ts"

export interface SessionsOptions {
  readonly maxSessions: number
  readonly sessionIdleTimeout: Duration.Duration
  readonly report: (cause: unknown) => void
}

/** A request with its parsed body; `undefined` if it has none. */
export interface Incoming {
  readonly request: Request
  readonly body: unknown
  readonly authInfo: AuthInfo | undefined
  /** Calls the listener when the response is sent completely, or its connection has ended. */
  readonly onClose: (listener: () => void) => void
}

export interface Sessions {
  /** Opens a session with an `initialize` request. */
  readonly open: (incoming: Incoming) => Effect.Effect<Response>
  readonly resume: (id: string, incoming: Incoming) => Effect.Effect<Response>
  readonly closeAll: Effect.Effect<void>
}

interface Session extends Identity {
  readonly id: string
  readonly transport: SessionTransport
  /** How many calls have no complete response yet. */
  inFlight: number
  lastHeardMillis: number
}

/** A session with a call in flight is not idle. One that has only an open stream is. */
const isIdle = ({ inFlight }: Session): boolean => inFlight === 0

/**
 * Returns the sessions of which one must be closed so that a caller can open another one, if there are too
 * many. A named caller has at most half of all: busy sessions are not closed, and it must not lock out others.
 */
const tooManyOf = (
  sessions: ReadonlyArray<Session>,
  maxSessions: number,
  { authInfo }: Pick<Incoming, "authInfo">
): ReadonlyArray<Session> | undefined => {
  const { principal } = identityOf(authInfo)
  const own = sessions.filter((session) => session.principal === principal)
  if (authInfo !== undefined && own.length * 2 >= maxSessions) return own
  return sessions.length >= maxSessions ? sessions : undefined
}

/** Legacy clients often leave without closing their sessions. */
const longestIdle = (sessions: ReadonlyArray<Session>): Session | undefined =>
  sessions
    .filter(isIdle)
    .toSorted((one, other) => one.lastHeardMillis - other.lastHeardMillis)
    .at(0)

/** A GET opens the stream for messages that the server sends unasked. This server sends none. */
const isSilentStream = ({ method }: Request): boolean => method === "GET"

const tooMany = () =>
  errorResponse(503, "Too many sessions are open: call again later", { "retry-after": "30" })

const byAuth = (authInfo: AuthInfo | undefined) => (authInfo === undefined ? {} : { authInfo })

const failed =
  (report: SessionsOptions["report"]) =>
  ({ cause }: { readonly cause?: unknown }) =>
    Effect.sync(() => {
      report(cause)
      return internalError()
    })

export const make = (
  factory: McpServerFactory,
  { maxSessions, report, sessionIdleTimeout }: SessionsOptions
): Effect.Effect<Sessions, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const sessions = new Map<string, Session>()

    const close = ({ transport }: Session) =>
      Effect.ignore(Effect.tryPromise(() => transport.close()))

    const markUsed = (session: Session) => {
      session.lastHeardMillis = clock.currentTimeMillisUnsafe()
    }

    /** Marks the session as not idle until the returned function is called. */
    const occupy = (session: Session) => {
      session.inFlight += 1
      return () => {
        session.inFlight -= 1
        markUsed(session)
      }
    }

    const handle = (session: Session, { authInfo, body, onClose, request }: Incoming) =>
      Effect.suspend(() => {
        markUsed(session)
        if (!isSilentStream(request)) onClose(occupy(session))
        return Effect.tryPromise(() =>
          session.transport.handleRequest(request, { parsedBody: body, ...byAuth(authInfo) })
        )
      })

    const newSession = ({ authInfo }: Incoming): Session => {
      const id = crypto.randomUUID()
      return {
        id,
        ...identityOf(authInfo),
        transport: Object.assign(
          new SessionTransport({
            sessionIdGenerator: () => id,
            maxRequestBodySize: maxBodyBytes
          }),
          { onclose: () => sessions.delete(id), onerror: report }
        ),
        inFlight: 0,
        lastHeardMillis: clock.currentTimeMillisUnsafe()
      }
    }

    const open = (incoming: Incoming) =>
      Effect.suspend(() => {
        const session = newSession(incoming)
        const crowd = tooManyOf([...sessions.values()], maxSessions, incoming)
        const closed = crowd === undefined ? undefined : longestIdle(crowd)
        if (crowd !== undefined && closed === undefined) return Effect.succeed(tooMany())
        // Without waiting in between, so that concurrent requests cannot exceed the limit.
        if (closed !== undefined) sessions.delete(closed.id)
        sessions.set(session.id, session)
        const { transport } = session
        const done = occupy(session)
        return (closed === undefined ? Effect.void : close(closed)).pipe(
          Effect.andThen(
            Effect.tryPromise(() =>
              Promise.resolve(
                factory({
                  era: "legacy",
                  requestInfo: incoming.request,
                  ...byAuth(incoming.authInfo)
                })
              )
            )
          ),
          Effect.flatMap((server) => Effect.tryPromise(() => server.connect(transport))),
          Effect.andThen(handle(session, incoming)),
          Effect.tapError(() => close(session)),
          Effect.tap(() => (transport.sessionId === undefined ? close(session) : Effect.void)),
          Effect.catch(failed(report)),
          Effect.ensuring(Effect.sync(done))
        )
      })

    const resume = (id: string, incoming: Incoming) =>
      Effect.suspend(() => {
        const session = sessions.get(id)
        const { clientId, principal } = identityOf(incoming.authInfo)
        // For another principal, or another client of the same principal, the session does not exist.
        return session === undefined ||
          session.principal !== principal ||
          session.clientId !== clientId
          ? Effect.succeed(sessionNotFound())
          : Effect.catch(handle(session, incoming), failed(report))
      })

    const sweep = Effect.suspend(() => {
      const limit = clock.currentTimeMillisUnsafe() - Duration.toMillis(sessionIdleTimeout)
      const idle = [...sessions.values()].filter(
        (session) => isIdle(session) && session.lastHeardMillis <= limit
      )
      return Effect.forEach(idle, close, { discard: true })
    })
    yield* Effect.forkScoped(
      Effect.forever(Effect.delay(sweep, Duration.min(sessionIdleTimeout, Duration.minutes(1))))
    )

    return {
      open,
      resume,
      closeAll: Effect.suspend(() =>
        Effect.forEach([...sessions.values()], close, { discard: true })
      )
    }
  })
