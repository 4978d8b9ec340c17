/**
 * A server whose clock the test can set forward, with a sandbox as its service.
 */
import {
  Client,
  type ClientCapabilities,
  type ElicitResult,
  type JSONRPCMessage,
  type RequestOptions,
  StreamableHTTPClientTransport,
  type Transport
} from "@modelcontextprotocol/client"
import type * as Duration from "effect/Duration"
import { isReadonlyObject } from "effect/Predicate"
import { passTime, readingTime, resetTime, stopTime } from "./Clock.ts"
import { Disposables } from "./Disposables.ts"
import { type Environment, startInProcess, StreamTransport } from "./Server.ts"
import { openSandbox, unasked } from "./RealSandbox.ts"
import { envelope, type Era, eras, initializeOf } from "./RawStdio.ts"

export interface Route {
  readonly era: Era
  readonly over: "stdio" | "http"
}

const routesOver = (over: Route["over"]): ReadonlyArray<Route> => eras.map((era) => ({ era, over }))

export const routes: ReadonlyArray<Route> = [...routesOver("stdio"), ...routesOver("http")]

export const stdioRoutes = routesOver("stdio")

/** Each era and each transport once, for what their combination cannot change. */
export const eachOnce: ReadonlyArray<Route> = [
  { era: "modern", over: "stdio" },
  { era: "legacy", over: "http" }
]

/** For guards that see neither the era nor the transport. */
export const anyRoute: Route = { era: "modern", over: "stdio" }

export const startGuarded = async (
  over: Route["over"],
  args: ReadonlyArray<string>,
  env: Environment
) => {
  const transport = over === "http" ? ["--http", "--port", "0"] : []
  const server = startInProcess([...transport, ...args], { env })
  const url = over === "http" ? await server.url() : undefined
  return {
    log: server.log,
    server,
    /** Only over HTTP. */
    url,
    /** Sets the wall clock forward. */
    pass: passTime,
    /** Opens a new connection. Over stdio there can be only one. `key` is a bearer key. */
    open: (key?: string): Transport => {
      if (url === undefined) return new StreamTransport(server)
      return new StreamableHTTPClientTransport(
        new URL(url),
        key === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${key}` } } }
      )
    },
    [Symbol.asyncDispose]: () => {
      resetTime()
      return server[Symbol.asyncDispose]()
    }
  }
}

export type GuardedServer = Awaited<ReturnType<typeof startGuarded>>

/** Returns the decision of a person, or what a client sends in its place. */
export type Person = (question: string, form?: object) => unknown

/** By the form with a choice; the other forms have no such field. */
export const approve: ElicitResult = { action: "accept", content: { decision: "Send" } }
export const decline: ElicitResult = { action: "decline" }
export const dismiss: ElicitResult = { action: "cancel" }

export interface Sms {
  readonly recipient: string
  readonly message: string
  readonly sender_id?: string
  readonly scheduled_time?: string
  readonly again?: boolean
}

export interface Card {
  readonly state: string
  readonly call?: { readonly tool: string; readonly arguments: object }
  readonly notice: string
  readonly asked: string
  readonly facts: ReadonlyArray<string>
  readonly texts: ReadonlyArray<{ readonly text: string; readonly to: ReadonlyArray<string> }>
  readonly expiresAt: string
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isReadonlyObject(value) ? value : {}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const resultOf = (result: unknown) => {
  const { _meta: meta, ...forModel } = recordOf(result)
  const { content, isError, structuredContent } = forModel
  const data = recordOf(structuredContent)
  const whole = listOf(content)
    .map((part) => String(recordOf(part)["text"]))
    .join("\n")
  return {
    /** The first line of the text. */
    text: whole.split("\n", 1)[0] ?? "",
    /** The complete text. */
    whole,
    isError: isError === true,
    /** The machine-readable copy of a refusal. */
    error: isError === true ? data : {},
    /** Whether an earlier call sent the SMS. */
    duplicate: isError === true ? undefined : data["sent_by_this_call"] === false,
    structured: data,
    messageIds: listOf(data["data"]).map((entry) => recordOf(entry)["message_id"]),
    /** What the model gets of the result. */
    forModel,
    /** What the page of the approval gets beside it, if the client shows cards. */
    card: recordOf(meta)["messaging-topup/approval"] as Card
  }
}

export type CallResult = ReturnType<typeof resultOf>

const canAsk: ClientCapabilities = { elicitation: { form: {} } }

interface ConnectSettings {
  /** Without a person, the client declares that it cannot ask. */
  readonly person?: Person | undefined
  /** How long the person reads before deciding. A client that decides without a person takes no time. */
  readonly reads?: Duration.Input | undefined
  /** The name of the client. */
  readonly name?: string | undefined
  readonly capabilities?: ClientCapabilities
}

export const connect = async (era: Era, transport: Transport, settings: ConnectSettings = {}) => {
  const { name = "guarded", person, reads = readingTime } = settings
  const { capabilities = person === undefined ? {} : canAsk } = settings
  if (reads !== readingTime) stopTime()
  const questions: Array<string> = []
  const client = new Client(
    { name, version: "1.0.0" },
    { capabilities, versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" } }
  )
  if (person !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      questions.push(params.message)
      const decision = await person(
        params.message,
        "requestedSchema" in params ? params.requestedSchema : {}
      )
      passTime(reads)
      // A tampering client may return a value that no type allows.
      return decision as ElicitResult
    })
  }
  await client.connect(transport)
  if ((client.getNegotiatedProtocolVersion() === "2026-07-28") !== (era === "modern")) {
    throw new Error("The client did not negotiate the era of the test")
  }
  const call = async (tool: string, args: object, options?: RequestOptions) =>
    resultOf(await client.callTool({ name: tool, arguments: { ...args } }, options))
  return {
    client,
    /** The questions to the person, in order. */
    questions,
    call,
    send: (sms: Sms) => call("send_sms", sms),
    [Symbol.asyncDispose]: () => client.close()
  }
}

export type Connection = Awaited<ReturnType<typeof connect>>

/** Starts a server with a service of its own, and connects a client with a key, for one test. */
export const serve = async <Connected extends AsyncDisposable>(
  over: Route["over"],
  args: ReadonlyArray<string>,
  environment: Environment,
  connectTo: (transport: Transport) => Promise<Connected>,
  key?: string
) => {
  await using stack = new Disposables()
  const upstream = stack.use(await openSandbox())
  const started = stack.use(await startGuarded(over, args, { ...upstream.env, ...environment }))
  const connection = stack.use(await connectTo(started.open(key)))
  const kept = stack.move()
  return {
    ...started,
    ...connection,
    upstream,
    /** How many SMS the service accepted. */
    sent: async () => (await upstream.messages()).length,
    [Symbol.asyncDispose]: () => kept.disposeAsync()
  }
}

interface GuardedSettings extends ConnectSettings {
  readonly environment?: Environment
  readonly key?: string
}

/** The same with a client of the SDK. Where nobody can be asked, all goes out unasked. */
export const guarded = async (
  { era, over }: Route,
  args: ReadonlyArray<string> = [],
  { environment = {}, key, ...settings }: GuardedSettings = {}
) => {
  const rules = settings.person === undefined ? unasked : {}
  const connectTo = (transport: Transport) => connect(era, transport, settings)
  const server = await serve(over, args, { ...rules, ...environment }, connectTo, key)
  /** Connects one more client to the same server. Only over HTTP. */
  const another = (person?: Person, otherKey?: string) =>
    connect(era, server.open(otherKey), { ...settings, person })
  return { ...server, another }
}

export type Guarded = Awaited<ReturnType<typeof guarded>>

/** The reply of a legacy client to a question: a member of a JSON-RPC response, or no reply. */
export type Reply = { readonly result: unknown } | { readonly error: unknown } | undefined

/** Sends requests, and passes on what is no response. */
const speak = async (transport: Transport, hear: (message: JSONRPCMessage) => void) => {
  const waiting = new Map<unknown, (message: JSONRPCMessage) => void>()
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no event target
  transport.onmessage = (message) => {
    if ("method" in message) hear(message)
    else waiting.get(message.id)?.(message)
  }
  await transport.start()
  let last = 0
  /** Returns the result or the error unchanged. */
  return async (method: string, params: Readonly<Record<string, unknown>>) => {
    const id = `call-${++last}`
    const received = new Promise<JSONRPCMessage>((resolve) => waiting.set(id, resolve))
    await transport.send({ jsonrpc: "2.0", id, method, params: { ...params } })
    const message = await received
    return recordOf("result" in message ? message.result : "error" in message && message.error)
  }
}

/** A legacy client that is asked during its call, and can reply what no client library allows. */
export const speakLegacy = async (
  transport: Transport,
  reply: (form: unknown) => Reply,
  reads: Duration.Input = readingTime,
  name?: string
) => {
  if (reads !== readingTime) stopTime()
  const heard: Array<JSONRPCMessage> = []
  const questions: Array<string | number> = []
  const replyTo = async (id: string | number, response: NonNullable<Reply>) => {
    // A tampering client may send a value that no type allows.
    await transport.send({ jsonrpc: "2.0", id, ...response } as JSONRPCMessage)
  }
  const ask = await speak(transport, (message) => {
    heard.push(message)
    if (!("id" in message) || !("method" in message)) return
    if (message.method !== "elicitation/create" || message.id === undefined) return
    questions.push(message.id)
    const response = reply(message.params?.["requestedSchema"])
    passTime(reads)
    if (response !== undefined) void replyTo(message.id, response)
  })
  const { params } = initializeOf(0, name)
  const { protocolVersion } = await ask("initialize", { ...params, capabilities: canAsk })
  transport.setProtocolVersion?.(String(protocolVersion))
  await transport.send({ jsonrpc: "2.0", method: "notifications/initialized" })
  return {
    /** The requests and notifications of the server, in order. */
    heard,
    send: async (sms: Sms) =>
      resultOf(await ask("tools/call", { name: "send_sms", arguments: sms })),
    /** Replies to the first question. */
    replyLate: async (late: NonNullable<Reply>) => {
      const [first] = questions
      if (first === undefined) throw new Error("Nothing was asked")
      await replyTo(first, late)
    },
    [Symbol.asyncDispose]: () => transport.close()
  }
}

/** A modern client that states its capabilities in each call. The test makes each round of a question. */
export const speakModern = async (
  transport: Transport,
  reads: Duration.Input = readingTime,
  name?: string
) => {
  if (reads !== readingTime) stopTime()
  const ask = await speak(transport, () => {})
  return {
    /** Returns the result or the error unchanged. */
    request: (params: Readonly<Record<string, unknown>>, capabilities = canAsk) => {
      const _meta = envelope(capabilities, undefined, name)
      if ("inputResponses" in params) passTime(reads)
      return ask("tools/call", { name: "send_sms", ...params, _meta })
    },
    [Symbol.asyncDispose]: () => transport.close()
  }
}

export type Modern = Awaited<ReturnType<typeof speakModern>>
