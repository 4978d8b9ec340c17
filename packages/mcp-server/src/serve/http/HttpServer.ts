/**
 * Serves MCP over HTTP: `/mcp` for clients of every revision, `/healthz` and `/readyz` for load balancers.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  type McpHttpHandler,
  type McpServerFactory,
  originValidationResponse
} from "@modelcontextprotocol/server"
import type { FactoryFor } from "../../mcp/McpCaller.ts"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Port } from "@messaging-topup/sandbox/internal"
import { endOfTurn } from "../../send/Dispatch.ts"
import type { Authenticator } from "./Authenticator.ts"
import * as Log from "../../Log.ts"
import * as Sessions from "./Sessions.ts"
import * as Web from "./Web.ts"

export interface Listening extends Port.Address {
  /** Host names (no port; IPv6 in brackets) that the Host header may carry. */
  readonly allowedHosts: ReadonlyArray<string>
}

export interface HttpServerOptions extends Listening {
  /** Without it, every caller is accepted. */
  readonly authenticator?: Authenticator | undefined
  readonly maxBodyBytes: number
  readonly maxSessions?: Sessions.Maximum
  /** Whether sends can be remembered, for `/readyz`. */
  readonly isReady: Effect.Effect<boolean>
  /** Refuses new sends, and completes when those in flight have had their time. */
  readonly shutdown: Effect.Effect<void>
  /** Receives errors that are not part of a response. Their texts could repeat a header or a body. */
  readonly onError: (cause: unknown) => void
}

/** In turns of the event loop. From the end of a tool to the socket, a response needs about ten. */
const flushTurns = 100

/** An error as JSON-RPC, which MCP clients can read. */
const refused = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  code = -32000
): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status, headers })

const beforeId =
  /^\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*)*"id"\s*:\s*("[^"\\]{1,100}"|\d{1,15})\s*,/

/** The id of a request whose body is cut. Many clients write it before the arguments. */
const idAtStart = (body: Buffer): unknown => {
  const [, id = "null"] = beforeId.exec(body.toString("utf8", 0, 1_000)) ?? []
  return JSON.parse(id)
}

const tooLong = (body: Buffer, maxBytes: number): Response => {
  const message = `Nothing was sent: a request has at most ${maxBytes} bytes here. Send fewer SMS in one call.`
  return Response.json(
    { jsonrpc: "2.0", error: { code: -32000, message }, id: idAtStart(body) },
    { status: 413 }
  )
}

const status = (text: string, code: number): Response =>
  Response.json({ status: text }, { status: code, headers: { "cache-control": "no-store" } })

const stopping = (): Response =>
  refused(503, "The server is stopping: nothing was done, call again later", {
    "retry-after": "5",
    connection: "close"
  })

const isInitialize = (body: unknown): boolean =>
  Predicate.hasProperty(body, "method") && body.method === "initialize"

/** It throws for what is not UTF-8: otherwise, an SMS would go out with other letters. */
const utf8 = new TextDecoder("utf-8", { fatal: true })

const parsed = Option.liftThrowable((bytes: Buffer): unknown => JSON.parse(utf8.decode(bytes)))

/**
 * Serves until the scope closes.
 *
 * Then it responds with 503 to every new request, waits for the sends in flight, sends the responses
 * that are complete, ends the others and stops listening.
 */
export const serve = Effect.fnUntraced(function* (
  factoryFor: FactoryFor,
  {
    authenticator,
    isReady,
    maxBodyBytes,
    maxSessions = Sessions.maximum,
    onError,
    shutdown,
    ...options
  }: HttpServerOptions
) {
  const run = Effect.runPromiseWith(yield* Effect.context())
  const sessions = Sessions.make(
    factoryFor,
    onError,
    ({ id }) => {
      void run(Log.sessionClosed(id))
    },
    authenticator?.hasSeveralCallers === true,
    maxSessions
  )
  // Modern clients, and legacy ones without a session.
  const handlers = new Map<McpServerFactory, McpHttpHandler>()
  const handlerFor = (body: unknown): McpHttpHandler => {
    const factory = factoryFor(body)
    const handler = handlers.get(factory) ?? createMcpHandler(factory, { onerror: onError })
    handlers.set(factory, handler)
    return handler
  }
  const open = new Set<ServerResponse>()
  let isStopping = false

  const health = (ready: boolean): Response => {
    if (isStopping) return status("stopping", 503)
    return ready ? status("ok", 200) : status("sends cannot be remembered", 503)
  }

  /** Decides by the headers before any of the body is read. */
  const endpoint = async (outgoing: ServerResponse, request: Request): Promise<Response> => {
    const { req: incoming } = outgoing
    if (isStopping) return stopping()
    const { authorization } = incoming.headers
    const authInfo = await authenticator?.authenticate(authorization)
    if (authInfo instanceof Response) return authInfo
    const { bytes, isTooLong } = await Web.bodyOf(incoming, maxBodyBytes)
    if (isTooLong) return tooLong(bytes, maxBodyBytes)
    // Shutdown may have started since the request was admitted.
    if (isStopping) return stopping()
    const { headers, method } = request
    const body = method === "POST" ? Option.getOrUndefined(parsed(bytes)) : undefined
    if (method === "POST" && body === undefined) {
      return refused(400, "Parse error: the request body is not valid JSON in UTF-8", {}, -32700)
    }
    const details = { parsedBody: body, ...(authInfo === undefined ? {} : { authInfo }) }
    const session = headers.get("mcp-session-id")
    const resumed =
      session === null ? undefined : await sessions.resume(session, request, details, outgoing)
    if (resumed !== undefined) return resumed
    // Modern clients have no handshake, so theirs is refused. A legacy client may still name a session that is gone.
    if (isInitialize(body) && (await isLegacyRequest(request, body))) {
      const opened = await sessions.open(request, details)
      return opened ?? refused(503, "Too many sessions, and all are in use", { "retry-after": "5" })
    }
    // The SDK's code and text: legacy clients open a new session when they receive them.
    if (session !== null) return refused(404, "Session not found", {}, -32001)
    const response = await handlerFor(body).fetch(request, details)
    // The SDK uses 499 for a request whose connection was closed. Clients do not know that status. It
    // does not say whether anything was done: a send may have gone out.
    return response.status === 499
      ? refused(503, "The server stopped before the response was ready", { connection: "close" })
      : response
  }

  const responseTo = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    address: URL
  ): Promise<Response> => {
    const request = Web.requestOf(incoming, outgoing, address)
    const { pathname: path } = address
    const foreign = originValidationResponse(request, [])
    if (foreign !== undefined) return foreign
    // Before the host check: load balancers connect by address, and DNS rebinding gains nothing here.
    if (request.method === "GET" || request.method === "HEAD") {
      if (path === "/healthz") return health(true)
      if (path === "/readyz") return health(await run(isReady))
    }
    const misdirected = hostHeaderValidationResponse(request, [...options.allowedHosts])
    if (misdirected !== undefined) return misdirected
    if (path === "/mcp") return endpoint(outgoing, request)
    return authenticator?.document(path) ?? refused(404, "Not found")
  }

  const server = createServer(Web.connectionLimits, (incoming, outgoing) => {
    open.add(outgoing)
    outgoing.once("close", () => open.delete(outgoing))
    const address = Web.addressOf(incoming)
    if (typeof address === "number") {
      outgoing.writeHead(address, { connection: "close" }).end()
      return
    }
    responseTo(incoming, outgoing, address)
      .catch((cause: unknown) => {
        onError(cause)
        return refused(500, "Internal server error", {}, -32603)
      })
      .then((response) => Web.send(response, outgoing))
      .catch((cause: unknown) => {
        onError(cause)
        outgoing.destroy()
      })
  })
  server.maxHeadersCount = Web.maxHeaders

  /** Gives responses time to be sent, but not to a client that does not read, or to a person who is asked. */
  const flush = Effect.repeat(endOfTurn, { while: () => open.size > 0, times: flushTurns })

  const stop = Effect.gen(function* () {
    isStopping = true
    // A call that was accepted just before may be about to send.
    yield* flush
    yield* shutdown
    yield* flush
    yield* Effect.promise(() =>
      Promise.all([sessions.closeAll(), ...[...handlers.values()].map((each) => each.close())])
    )
    yield* flush
    yield* Port.close(server)
  })

  const url = yield* Effect.acquireRelease(Port.listen(server, options), () => stop)
  return { url: `${url}/mcp` }
})
