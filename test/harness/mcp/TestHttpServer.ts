/**
 * Our HTTP server with a few tools of its own, for one test.
 */
import {
  type HttpServerOptions,
  serve
} from "@messaging-topup/mcp-server/src/serve/http/HttpServer.ts"
import {
  type CallToolResult,
  fromJsonSchema,
  McpServer,
  type McpServerFactory
} from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import { EventEmitter, on } from "node:events"
import { callOver, type PostOptions } from "./RawHttp.ts"

/** A call of the tool `hold`, which returns when the test calls `release`. */
interface Hold {
  readonly aborted: Promise<void>
  readonly release: (text: string) => void
}

const textResult = (text: string): CallToolResult => ({ content: [{ type: "text", text }] })

const texts = fromJsonSchema<{ readonly text: string }>({
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"]
})

const makeFactory =
  (hold: (held: Hold) => void): McpServerFactory =>
  () => {
    const server = new McpServer({ name: "test-http-server", version: "1.0.0" })
    server.registerTool("echo", { inputSchema: texts }, ({ text }) => textResult(text))
    const names = ["authorization", "cookie", "user-agent"]
    server.registerTool("seen", {}, ({ http }) =>
      textResult(
        JSON.stringify([http?.authInfo, names.filter((name) => http?.req?.headers.has(name))])
      )
    )
    server.registerTool(
      "hold",
      {},
      ({ mcpReq: { signal } }) =>
        new Promise<CallToolResult>((resolve) => {
          const aborted = new Promise<void>((done) => {
            signal.addEventListener("abort", () => done(), { once: true })
          })
          hold({ aborted, release: (text) => resolve(textResult(text)) })
        })
    )
    return server
  }

interface Settings extends Partial<HttpServerOptions> {
  readonly factory?: (usual: McpServerFactory) => McpServerFactory
}

export const openTestHttpServer = async ({
  factory = (usual) => usual,
  ...settings
}: Settings = {}) => {
  const errors: Array<unknown> = []
  const holding = new EventEmitter()
  /** Keeps those that the test has not taken yet. */
  const holds = on(holding, "hold")
  const served = Promise.withResolvers<string>()
  const fiber = Effect.runFork(
    Effect.gen(function* () {
      const made = factory(makeFactory((hold) => holding.emit("hold", hold)))
      const factoryFor = () => made
      const { url } = yield* serve(factoryFor, {
        host: "127.0.0.1",
        port: 0,
        allowedHosts: ["127.0.0.1", "localhost"],
        maxBodyBytes: 65_536,
        isReady: Effect.succeed(true),
        shutdown: Effect.void,
        onError: (cause) => errors.push(cause),
        ...settings
      })
      served.resolve(url)
      return yield* Effect.never
    }).pipe(Effect.scoped, Effect.provide(Logger.layer([])))
  )
  fiber.addObserver((exit) => served.reject(exit))
  const stop = () => Effect.runPromise(Effect.asVoid(Fiber.interrupt(fiber)))
  return {
    url: await served.promise,
    errors,
    nextHold: async (): Promise<Hold> => (await holds.next()).value?.[0],
    /** Stops the server as a signal does: interrupts its fiber. */
    stop,
    [Symbol.asyncDispose]: stop
  }
}

export type TestHttpServer = Awaited<ReturnType<typeof openTestHttpServer>>

/** Calls a tool as clients of the modern era do. */
export const callModern = (url: string, name: string, args: object = {}, options?: PostOptions) =>
  callOver(url, "modern", 1, name, args, options)

/** Calls a tool in a session of the legacy era. */
export const callInSession = (
  url: string,
  session: string,
  id: number,
  name: string,
  options: PostOptions = {}
) => callOver(url, "legacy", id, name, { text: "hello" }, { session, ...options })
