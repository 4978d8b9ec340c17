/**
 * Serves MCP over HTTP: `/mcp` for clients of every revision, `/healthz` and `/readyz` for load balancers.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import {
  hostHeaderValidationResponse,
  type McpServerFactory,
  originValidationResponse
} from "@modelcontextprotocol/server"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Authenticator } from "./auth/Authenticator.ts"
import * as Cors from "./Cors.ts"
import { internalError, errorResponse, stopping } from "./JsonRpcErrors.ts"
import * as Limits from "./Limits.ts"
import { Port } from "@messaging-topup/sandbox/command-line"
import * as McpEndpoint from "./McpEndpoint.ts"
import * as NodeRequest from "./NodeRequest.ts"
import * as NodeResponse from "./NodeResponse.ts"
import * as OpenResponses from "./OpenResponses.ts"

export interface HttpServerOptions {
  /** The address to listen on, such as `127.0.0.1`. */
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** Host names (no port; IPv6 in brackets) that the Host header may carry. */
  readonly allowedHosts: ReadonlyArray<string>
  /** Host names that an Origin header may carry. */
  readonly allowedOrigins: ReadonlyArray<string>
  /** Without it, every caller is accepted. */
  readonly authenticator?: Authenticator
  /** Whether sends can be remembered, for `/readyz`. */
  readonly isReady: Effect.Effect<boolean>
  /** How many sessions of legacy clients may be open at once. */
  readonly maxSessions: number
  /** How long a session may be idle before it is closed. */
  readonly sessionIdleTimeout: Duration.Duration
  /** Refuses new sends, and completes when those in flight have had their time. */
  readonly shutdown: Effect.Effect<void>
  /** Receives errors that are not part of a response. Their texts could repeat a header or a body. */
  readonly report: (cause: unknown) => void
}

/** How long shutdown waits for a client that does not read its last response. */
const flushTime = "1 second"

/** `/healthz` says that the process runs, `/readyz` that it can do all its work. */
const checkOf = ({ method, url }: Request): "/healthz" | "/readyz" | undefined => {
  if (method !== "GET" && method !== "HEAD") return undefined
  const { pathname } = new URL(url)
  return pathname === "/healthz" || pathname === "/readyz" ? pathname : undefined
}

const status = (text: string, code: number): Response =>
  Response.json({ status: text }, { status: code, headers: { "cache-control": "no-store" } })

/**
 * Serves until the scope closes.
 *
 * Then it responds with 503 to every new request, waits for the sends in flight, sends the responses
 * that are complete, ends the others and stops listening.
 */
export const serve = (
  factory: McpServerFactory,
  options: HttpServerOptions
): Effect.Effect<{ readonly url: string }, Port.ListenFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { authenticator, maxSessions, report, sessionIdleTimeout, shutdown } = options
    const endpoint = yield* McpEndpoint.make(factory, { maxSessions, sessionIdleTimeout, report })
    const openResponses = OpenResponses.make()
    let isStopping = false

    const health = (isReady: boolean): Response => {
      if (isStopping) return status("stopping", 503)
      return isReady ? status("ok", 200) : status("sends cannot be remembered", 503)
    }

    const failed = (defect: unknown): Response => {
      report(defect)
      return internalError()
    }

    /** Returns the caller of a request to the endpoint. Fails with the response to any other request. */
    const callerOf = Effect.fnUntraced(function* (request: Request) {
      if (new URL(request.url).pathname !== "/mcp") {
        return yield* Effect.fail(
          authenticator?.document(request) ?? errorResponse(404, "Not found")
        )
      }
      if (request.method === "OPTIONS" && request.headers.has("access-control-request-method")) {
        return yield* Effect.fail(Cors.preflight())
      }
      if (isStopping) return yield* Effect.fail(stopping())
      if (authenticator === undefined) return undefined
      const caller = yield* Effect.promise(() => authenticator.authenticate(request))
      return caller instanceof Response ? yield* Effect.fail(caller) : caller
    })

    /** Decides by the headers before any of the body is read. */
    const serveCaller = Effect.fnUntraced(
      function* (request: Request, incoming: IncomingMessage, outgoing: ServerResponse) {
        const authInfo = yield* callerOf(request)
        const text = yield* Effect.promise(() => NodeRequest.bodyOf(incoming))
        if (text instanceof Response) return text
        // Shutdown may have started since the request was admitted.
        if (isStopping) return stopping()
        return yield* endpoint.serve({
          request,
          authInfo,
          text,
          onClose: (listener) => NodeRequest.onClose(outgoing, listener)
        })
      },
      Effect.catch(Effect.succeed<Response>),
      Effect.catchDefect((defect) => Effect.succeed(failed(defect)))
    )

    const run = yield* FiberSet.makeRuntimePromise()

    /** Responds to a request that is refused whoever the caller is, or to a check of the server. */
    const outright = (request: Request): Response | Promise<Response> | undefined => {
      const foreign = originValidationResponse(request, [...options.allowedOrigins])
      if (foreign !== undefined) return foreign
      // Before the host check: load balancers connect by address, and DNS rebinding gains nothing here.
      switch (checkOf(request)) {
        case undefined:
          return hostHeaderValidationResponse(request, [...options.allowedHosts])
        case "/healthz":
          return health(true)
        case "/readyz":
          return run(options.isReady).then(health)
      }
    }

    const handle = (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
      const request = NodeRequest.requestOf(incoming, outgoing)
      const refusal = outright(request)
      const response =
        refusal === undefined
          ? run(serveCaller(request, incoming, outgoing)).then((served) => {
              Cors.allow(request, served)
              return served
            })
          : Promise.resolve(refusal)
      return response.then((each) => NodeResponse.send(each, outgoing))
    }

    const server = createServer(Limits.connection, (incoming, outgoing) => {
      openResponses.add(outgoing)
      const unfit = NodeRequest.unfitStatus(incoming)
      if (unfit !== undefined) {
        outgoing.writeHead(unfit, { connection: "close" }).end()
        return
      }
      handle(incoming, outgoing).catch((cause: unknown) => {
        report(cause)
        outgoing.destroy()
      })
    })
    server.maxHeadersCount = Limits.maxHeaders

    const stop = Effect.gen(function* () {
      isStopping = true
      // A call that was accepted just before may be about to send.
      yield* openResponses.flush
      yield* shutdown
      yield* openResponses.flush
      yield* endpoint.close
      yield* Effect.timeoutOption(openResponses.allClosed, flushTime)
      yield* Port.close(server)
    })

    const url = yield* Effect.acquireRelease(Port.listen(server, options), () => stop)
    return { url: `${url}/mcp` }
  })
