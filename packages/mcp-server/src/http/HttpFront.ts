/**
 * The MCP server on HTTP: `/mcp` for clients of every revision, `/healthz` for load balancers.
 */
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { toNodeHandler } from "@modelcontextprotocol/node"
import {
  hostHeaderValidationResponse,
  type McpServerFactory,
  originValidationResponse
} from "@modelcontextprotocol/server"
import { createServer } from "node:http"
import { internalError, refusal, stopping } from "./Answers.ts"
import * as Cors from "./Cors.ts"
import * as Endpoint from "./Endpoint.ts"
import * as Exchanges from "./Exchanges.ts"
import type { Gate } from "./Gate.ts"
import * as Limits from "./Limits.ts"
import * as Listener from "./Listener.ts"
import type { ListenFailed } from "./ListenFailed.ts"
import * as NodeExchange from "./NodeExchange.ts"
import { trouble } from "./Trouble.ts"

export interface HttpFrontOptions {
  /** Where to listen, such as `127.0.0.1`. */
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** Host names (no port; IPv6 in brackets) that the Host header may carry. */
  readonly allowedHosts: ReadonlyArray<string>
  /** Host names that an Origin header may carry. */
  readonly allowedOrigins: ReadonlyArray<string>
  /** Checks who asks. Without it everyone may. */
  readonly gate?: Gate
  /** Sessions of older clients that may be open at once. */
  readonly maxSessions: number
  /** A session that nothing was heard of for this long is closed. */
  readonly sessionIdle: Duration.Duration
  /** Completes when no send is in flight; shutdown waits for it, at most `shutdownGrace`. */
  readonly drain: Effect.Effect<void>
  readonly shutdownGrace: Duration.Duration
  /** Receives what went wrong beside an answer; never header values or bodies. */
  readonly onError: (error: Error) => void
}

/** For a client that does not read its last answer. */
const flushTime = "1 second"

const isHealthCheck = ({ method, url }: Request) =>
  ["GET", "HEAD"].includes(method) && new URL(url).pathname === "/healthz"

/** Leaves the effect behind after that time, even one that cannot be interrupted. */
const atMost = (limit: Duration.Input, effect: Effect.Effect<void>) =>
  Effect.flatMap(Effect.forkDetach(effect), (fiber) =>
    Effect.raceFirst(Fiber.await(fiber), Effect.sleep(limit))
  )

/**
 * Serves until the scope closes.
 *
 * Then it answers 503 to whatever still comes, waits for the sends in flight, lets finished answers
 * reach their callers, ends the rest and stops listening.
 */
export const serve = (
  factory: McpServerFactory,
  options: HttpFrontOptions
): Effect.Effect<{ readonly url: string }, ListenFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { drain, gate, maxSessions, onError, sessionIdle, shutdownGrace } = options
    const report = (cause: unknown) => onError(trouble(cause))
    const endpoint = yield* Endpoint.make(factory, { maxSessions, sessionIdle, report })
    const exchanges = Exchanges.make()
    let isStopping = false

    const mcp = Effect.fnUntraced(function* (request: Request) {
      if (request.method === "OPTIONS" && request.headers.has("access-control-request-method")) {
        return Cors.preflight()
      }
      if (isStopping) return stopping()
      if (gate === undefined) return yield* endpoint.serve(request, undefined)
      const caller = yield* Effect.promise(() => gate.authenticate(request))
      if (caller instanceof Response) return caller
      // Asking who it is takes its time.
      return isStopping ? stopping() : yield* endpoint.serve(request, caller)
    })

    const route = (request: Request) =>
      new URL(request.url).pathname === "/mcp"
        ? mcp(request)
        : Effect.sync(() => gate?.document(request) ?? refusal(404, "Not found"))

    const health = () =>
      Response.json(
        { status: isStopping ? "stopping" : "ok" },
        { status: isStopping ? 503 : 200, headers: { "cache-control": "no-store" } }
      )

    const answer = Effect.fnUntraced(
      function* (request: Request) {
        const foreign = originValidationResponse(request, [...options.allowedOrigins])
        if (foreign !== undefined) return foreign
        // Load balancers ask by address, and there is nothing here that a rebound name could steal.
        if (isHealthCheck(request)) return health()
        const misdirected = hostHeaderValidationResponse(request, [...options.allowedHosts])
        return misdirected ?? Cors.allow(request, yield* route(request))
      },
      Effect.catchCause((cause) =>
        Effect.sync(() => {
          report(Cause.squash(cause))
          return internalError()
        })
      )
    )

    const run = yield* FiberSet.makeRuntimePromise()
    const handler = toNodeHandler(
      { fetch: (request) => run(answer(request)) },
      { onerror: report, maxRequestBodySize: Limits.maxBodyBytes }
    )

    const server = createServer(Limits.connection, (incoming, outgoing) => {
      exchanges.add(outgoing)
      const unfit = NodeExchange.unfitStatus(incoming)
      if (unfit !== undefined) {
        outgoing.writeHead(unfit, { connection: "close" }).end()
        return
      }
      handler(NodeExchange.incoming(incoming), NodeExchange.outgoing(outgoing)).catch(
        (cause: unknown) => {
          report(cause)
          outgoing.destroy()
        }
      )
    })
    server.maxHeadersCount = Limits.maxHeaders

    const stop = Effect.gen(function* () {
      isStopping = true
      // What was let in a moment ago may be about to send.
      yield* exchanges.settle
      yield* atMost(shutdownGrace, drain)
      yield* exchanges.settle
      yield* endpoint.close
      yield* atMost(flushTime, exchanges.allClosed)
      yield* Listener.close(server)
    })

    const url = yield* Effect.acquireRelease(Listener.listen(server, options), () => stop)
    return { url: `${url}/mcp` }
  })
