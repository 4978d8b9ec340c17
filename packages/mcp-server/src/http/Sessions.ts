/**
 * The sessions of clients that shake hands, as all did before the revision 2026-07-28.
 *
 * A session stays on the server where it was opened, and belongs to the principal that opened it.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import {
  type AuthInfo,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import { principalOf } from "../Caller.ts"
import { internalError, refusal, sessionNotFound } from "./JsonRpcErrors.ts"
import { maxBodyBytes } from "./Limits.ts"
import { onEnd } from "./OpenResponses.ts"

export interface SessionsOptions {
  readonly maxSessions: number
  readonly sessionIdleTimeout: Duration.Duration
  readonly report: (cause: unknown) => void
}

/** One request, its body parsed, `undefined` where it has none. */
export interface Incoming {
  readonly request: Request
  readonly body: unknown
  readonly authInfo: AuthInfo | undefined
}

export interface Sessions {
  /** Responds to an `initialize`. */
  readonly open: (incoming: Incoming) => Effect.Effect<Response>
  readonly resume: (id: string, incoming: Incoming) => Effect.Effect<Response>
  readonly closeAll: Effect.Effect<void>
}

interface Session {
  readonly principal: string
  readonly transport: WebStandardStreamableHTTPServerTransport
  /** Open responses, also the stream that a client keeps open for notifications. */
  inFlight: number
  lastHeardMillis: number
}

const tooMany = () =>
  refusal(503, "Too many sessions are open: call again later", { "retry-after": "30" })

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

    const hear = (session: Session, change: 1 | -1) => {
      session.inFlight += change
      session.lastHeardMillis = clock.currentTimeMillisUnsafe()
    }

    const handle = (session: Session, { authInfo, body, request }: Incoming) =>
      Effect.suspend(() => {
        hear(session, 1)
        return Effect.tryPromise(() =>
          session.transport.handleRequest(request, { parsedBody: body, ...byAuth(authInfo) })
        )
      }).pipe(
        Effect.map((response) => onEnd(response, request.signal, () => hear(session, -1))),
        Effect.tapError(() => Effect.sync(() => hear(session, -1)))
      )

    /**
     * When the limit is reached, the principal with the most sessions loses its longest idle one to a
     * principal with fewer.
     */
    const makeRoom = (principal: string) =>
      Effect.suspend(() => {
        if (sessions.size < maxSessions) return Effect.succeed(true)
        const held = Map.groupBy(sessions.values(), (session) => session.principal)
        const most = [...held.values()].reduce((one, other) =>
          other.length > one.length ? other : one
        )
        if (most.length <= (held.get(principal)?.length ?? 0) + 1) return Effect.succeed(false)
        const idlest = most.reduce((one, other) =>
          other.lastHeardMillis < one.lastHeardMillis ? other : one
        )
        return Effect.as(close(idlest), true)
      })

    const open = Effect.fnUntraced(function* (incoming: Incoming) {
      return (yield* makeRoom(principalOf(incoming.authInfo)))
        ? yield* openOne(incoming)
        : tooMany()
    })

    const openOne = (incoming: Incoming) =>
      Effect.suspend(() => {
        // Other requests came while a session was closed.
        if (sessions.size >= maxSessions) return Effect.succeed(tooMany())
        const id = crypto.randomUUID()
        const transport = Object.assign(
          new WebStandardStreamableHTTPServerTransport({
            sessionIdGenerator: () => id,
            maxRequestBodySize: maxBodyBytes
          }),
          { onclose: () => sessions.delete(id), onerror: report }
        )
        const session: Session = {
          principal: principalOf(incoming.authInfo),
          transport,
          inFlight: 0,
          lastHeardMillis: 0
        }
        // Counts before anything is waited for: the limit holds for concurrent requests too.
        sessions.set(id, session)
        return Effect.tryPromise(() =>
          Promise.resolve(
            factory({
              era: "legacy",
              requestInfo: incoming.request,
              ...byAuth(incoming.authInfo)
            })
          )
        ).pipe(
          Effect.flatMap((server) => Effect.tryPromise(() => server.connect(transport))),
          Effect.andThen(handle(session, incoming)),
          Effect.tapError(() => close(session)),
          Effect.tap(() => (transport.sessionId === undefined ? close(session) : Effect.void)),
          Effect.catch(failed(report))
        )
      })

    const resume = (id: string, incoming: Incoming) =>
      Effect.suspend(() => {
        const session = sessions.get(id)
        // The session of another principal looks like one that does not exist.
        return session === undefined || session.principal !== principalOf(incoming.authInfo)
          ? Effect.succeed(sessionNotFound())
          : Effect.catch(handle(session, incoming), failed(report))
      })

    const sweep = Effect.suspend(() => {
      const limit = clock.currentTimeMillisUnsafe() - Duration.toMillis(sessionIdleTimeout)
      const idle = [...sessions.values()].filter(
        ({ inFlight, lastHeardMillis }) => inFlight === 0 && lastHeardMillis <= limit
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
