/**
 * A stdio client that can write any bytes, also invalid ones.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY
} from "@modelcontextprotocol/server"
import { once } from "node:events"
import {
  type ProcessOptions,
  type RunningServer,
  startInProcess,
  type StartOptions,
  startProcess
} from "./Server.ts"

export interface Message {
  readonly jsonrpc: string
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export type Era = "modern" | "legacy"

export const eras: ReadonlyArray<Era> = ["modern", "legacy"]

export const envelope = (capabilities: object = {}, version = "2026-07-28", name = "raw") => ({
  [PROTOCOL_VERSION_META_KEY]: version,
  [CLIENT_INFO_META_KEY]: { name, version: "1.0.0" },
  [CLIENT_CAPABILITIES_META_KEY]: capabilities
})

/** Makes a request of the given era. */
export const requestOf = (era: Era, id: unknown, method: string, params: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method,
  params: era === "modern" ? { ...params, _meta: envelope() } : params
})

export const callOf = (era: Era, id: unknown, name: string, args: object = {}) =>
  requestOf(era, id, "tools/call", { name, arguments: args })

export const initializeOf = (id: unknown, name = "raw") =>
  requestOf("legacy", id, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name, version: "1.0.0" }
  })

/** Connects to a running server, which ends with the connection. */
const speakStdio = async <Server extends RunningServer>(era: Era, server: Server) => {
  const responses = new Map<unknown, Message>()
  let read = 0
  /** Parses each line once: a test may get thousands. */
  const readLines = () => {
    const unread = server.written.stdout.slice(read)
    const complete = unread.slice(0, unread.lastIndexOf("\n") + 1)
    read += complete.length
    for (const line of complete.split("\n").slice(0, -1)) {
      const message = JSON.parse(line) as Message
      const isResponse = message.method === undefined && message.id !== undefined
      if (isResponse && !responses.has(message.id)) responses.set(message.id, message)
    }
  }
  const write = async (bytes: string | Uint8Array) => {
    if (!server.stdin.write(bytes)) await Promise.race([once(server.stdin, "drain"), server.ended])
  }
  const send = (...messages: ReadonlyArray<unknown>) =>
    write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""))
  const response = (id: string | number) =>
    server.first(`a response to ${id}`, () => {
      readLines()
      return responses.get(id)
    })
  const lines = () => server.written.stdout.split("\n").slice(0, -1)
  const stdio = {
    server,
    /** Writes bytes unchanged. Resolves when the stream accepts more. */
    write,
    /** Writes messages, each on a line. */
    send,
    /** Returns the first message with this id, received before or later. */
    response,
    /** Sends a message, and waits for its response. */
    ask: async (message: { readonly id: unknown }) => {
      await send(message)
      return response(message.id as string | number)
    },
    lines,
    messages: () => lines().map((line) => JSON.parse(line) as Message),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]()
  }
  if (era === "legacy") {
    await stdio.ask(initializeOf("initialize"))
    await send({ jsonrpc: "2.0", method: "notifications/initialized" })
  }
  return stdio
}

export type RawStdio = Awaited<ReturnType<typeof speakStdio>>

/** Starts a server in this process, and connects to it. */
export const openStdio = (
  era: Era,
  args: ReadonlyArray<string> = ["--sandbox"],
  options: StartOptions = {}
) => speakStdio(era, startInProcess(args, options))

/** Starts a server in a process of its own, and connects to it. */
export const openStdioProcess = (
  era: Era,
  args: ReadonlyArray<string> = ["--sandbox"],
  options: ProcessOptions = {}
) => speakStdio(era, startProcess(args, options))
