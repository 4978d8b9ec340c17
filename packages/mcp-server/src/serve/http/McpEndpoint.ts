/**
 * The MCP endpoint: passes each request to the handler of the SDK that serves its revision.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import {
  createMcpHandler,
  isInitializeRequest,
  isJsonContentType,
  isLegacyRequest,
  legacyStatelessFallback,
  type McpServerFactory
} from "@modelcontextprotocol/server"
import { cutShort, parseError, errorResponse } from "./JsonRpcErrors.ts"
import { maxBodyBytes } from "./Limits.ts"
import * as Sessions from "./Sessions.ts"

/** A request whose caller is known. */
interface Received extends Omit<Sessions.Incoming, "body"> {
  /** The body. Only that of a POST counts. */
  readonly text: string
}

export interface McpEndpoint {
  readonly serve: (received: Received) => Effect.Effect<Response>
  /** Ends all sessions and streams. */
  readonly close: Effect.Effect<void>
}

const limit = { maxRequestBodySize: maxBodyBytes }

/** Keeps credentials from the SDK and the tools. */
const dropCredentials = ({ headers }: Request): void => {
  for (const name of ["authorization", "cookie"]) headers.delete(name)
}

const firstModernRevision = "2026-07-28"

/**
 * Whether a request is of the modern era by its header alone. The SDK refuses it if its body is not, so it
 * need not be classified twice.
 */
const isModernByHeader = ({ headers }: Request, body: unknown): boolean =>
  (headers.get("mcp-protocol-version") ?? "") >= firstModernRevision &&
  Predicate.hasProperty(body, "method") &&
  !("result" in body || "error" in body)

const parse = (text: string) => Effect.option(Effect.try((): unknown => JSON.parse(text)))

export const make = (
  factory: McpServerFactory,
  options: Sessions.SessionsOptions
): Effect.Effect<McpEndpoint, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sessions = yield* Sessions.make(factory, options)
    const stateless = legacyStatelessFallback(factory, options.report, limit)
    const modern = createMcpHandler(factory, {
      legacy: "reject",
      onerror: options.report,
      ...limit
    })

    const dispatch = Effect.fnUntraced(function* (incoming: Sessions.Incoming) {
      const { authInfo, body, request } = incoming
      const inputs = { parsedBody: body, ...(authInfo === undefined ? {} : { authInfo }) }
      const isModern =
        isModernByHeader(request, body) ||
        !(yield* Effect.promise(() => isLegacyRequest(request, body, limit)))
      if (isModern) {
        const response = yield* Effect.promise(() => modern.fetch(request, inputs))
        // The SDK uses 499 for a request whose connection was closed. Clients do not know that status.
        return response.status === 499 ? cutShort() : response
      }
      const id = request.headers.get("mcp-session-id")
      if (id !== null) return yield* sessions.resume(id, incoming)
      return yield* isInitializeRequest(body)
        ? sessions.open(incoming)
        : Effect.promise(() => stateless(request, inputs))
    })

    const serve = Effect.fnUntraced(function* ({ text, ...received }: Received) {
      const { headers, method } = received.request
      dropCredentials(received.request)
      if (method !== "POST") return yield* dispatch({ ...received, body: undefined })
      if (!isJsonContentType(headers.get("content-type"))) {
        return errorResponse(415, "Unsupported Media Type: Content-Type must be application/json")
      }
      const body = yield* parse(text)
      return Option.isNone(body) ? parseError() : yield* dispatch({ ...received, body: body.value })
    })

    return {
      serve,
      close: Effect.andThen(
        sessions.closeAll,
        Effect.promise(() => modern.close())
      )
    }
  })
