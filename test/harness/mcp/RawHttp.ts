/**
 * An HTTP client that can write any bytes, also invalid ones.
 */
import { once } from "node:events"
import * as Net from "node:net"
import { callOf, type Era, initializeOf, type Message } from "./RawStdio.ts"
import {
  type ProcessOptions,
  type RunningServer,
  startInProcess,
  type StartOptions,
  startProcess
} from "./Server.ts"

const onFreePort = ["--http", "--port", "0"]

/** Opens a connection and writes nothing. */
export const connectTo = async (url: string): Promise<Net.Socket> => {
  const { hostname, port } = new URL(url)
  const socket = Net.connect(Number(port), hostname)
  await once(socket, "connect")
  // The server may cut it off.
  socket.on("error", () => {})
  return socket
}

/** Writes bytes, and returns what is received until the server closes the connection. */
export const exchange = async (url: string, bytes: string | Uint8Array): Promise<string> => {
  const socket = await connectTo(url)
  const closed = Promise.withResolvers<void>()
  let text = ""
  socket.on("data", (chunk) => (text += chunk.toString()))
  socket.once("close", () => closed.resolve())
  socket.write(bytes)
  await closed.promise
  return text
}

/** Makes a client of a running server, which ends with the client. */
const speakHttp = async <Server extends RunningServer>(server: Server) => {
  const url = await server.url()
  return {
    server,
    url,
    connect: () => connectTo(url),
    exchange: (bytes: string | Uint8Array) => exchange(url, bytes),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]()
  }
}

export type RawHttp = Awaited<ReturnType<typeof speakHttp>>

/** Starts a server in this process, on a free port. */
export const openHttp = (args: ReadonlyArray<string> = ["--sandbox"], options: StartOptions = {}) =>
  speakHttp(startInProcess([...args, ...onFreePort], options))

/** Starts a server in a process of its own, on a free port. */
export const openHttpProcess = (
  args: ReadonlyArray<string> = ["--sandbox"],
  options: ProcessOptions = {}
) => speakHttp(startProcess([...args, ...onFreePort], options))

export type Headers = Readonly<Record<string, string>>

export const jsonHeaders = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json"
}

export interface PostOptions {
  readonly headers?: Headers
  readonly signal?: AbortSignal
}

/** Posts a message as JSON, or a text unchanged. */
export const post = (url: string, body: unknown, { headers = {}, ...init }: PostOptions = {}) =>
  fetch(url, {
    method: "POST",
    headers: { ...jsonHeaders, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init
  })

export const modernHeaders = (method: string, name?: string): Headers => ({
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": method,
  ...(name === undefined ? {} : { "mcp-name": name })
})

export const openSession = async (url: string, headers: Headers = {}): Promise<string> => {
  const response = await post(url, initializeOf(0), { headers })
  await response.text()
  const id = response.headers.get("mcp-session-id")
  if (id === null) throw new Error(`no session: ${response.status}`)
  return id
}

/** Calls a tool. `session` is for the legacy era only. */
export const callOver = async (
  url: string,
  era: Era,
  id: number,
  name: string,
  args: object,
  { headers = {}, session = "", ...init }: PostOptions & { readonly session?: string } = {}
) =>
  post(url, callOf(era, id, name, args), {
    headers: {
      ...headers,
      ...(era === "modern" ? modernHeaders("tools/call", name) : { "mcp-session-id": session })
    },
    ...init
  })

/** Returns the last message of a response, which is JSON or an event stream. */
export const messageOf = async (response: Response): Promise<Message> => {
  const body = await response.text()
  const frames = [...body.matchAll(/^data: (.+)$/gm)]
  return JSON.parse(frames.at(-1)?.[1] ?? body) as Message
}

/** A request as text. The server closes the connection after it, unless `headers` says otherwise. */
export const requestText = (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = ""
): string =>
  [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries({ host: "127.0.0.1", connection: "close", ...headers }).map(
      ([name, value]) => `${name}: ${value}`
    ),
    "",
    body
  ].join("\r\n")
