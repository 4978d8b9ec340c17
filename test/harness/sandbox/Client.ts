/**
 * Plain clients, which get the same responses as any client.
 */
import { Sandbox } from "@messaging-topup/sandbox"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Net from "node:net"

export const sms = { recipient: "+15551234567", message: "Hello" }

const authorization = Effect.map(Sandbox, ({ token }) => `Bearer ${Redacted.value(token)}`)

export interface ReadResponse {
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null | undefined }
  readonly body: string
}

/** No response, or not all of it: the message of the error, and its code. */
export class CallFailed extends Data.TaggedError("CallFailed")<{
  readonly reason: string
  readonly code: string | undefined
}> {}

const fetchFailed = (error: unknown): CallFailed => {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined
  return new CallFailed({ reason: error instanceof Error ? error.message : String(error), code })
}

export interface CallOptions {
  readonly method?: string
  /** Replaces the correct token and the content type. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

interface CallRequest extends CallOptions {
  readonly baseUrl: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

const fetched = <A>(
  { baseUrl, path, ...init }: CallRequest,
  read: (response: Response) => A | Promise<A>
) =>
  Effect.tryPromise({
    try: (signal) => fetch(baseUrl + path, { redirect: "manual", signal, ...init }).then(read),
    catch: fetchFailed
  })

/** How a request reaches the sandbox of the test. Defaults to a socket. */
export const Caller = Context.Reference<
  (request: CallRequest) => Effect.Effect<ReadResponse, CallFailed>
>("test/Caller", {
  defaultValue: () => (request) =>
    fetched(request, async (response) => ({
      status: response.status,
      headers: response.headers,
      body: await response.text()
    }))
})

const requestTo = Effect.fnUntraced(function* (path: string, options: CallOptions) {
  const { baseUrl } = yield* Sandbox
  const headers = { authorization: yield* authorization, "content-type": "application/json" }
  return { baseUrl, path, headers, ...options }
})

/** Sends a request with the correct token over a socket, and returns after the headers. */
export const open = (path: string, options: CallOptions = {}) =>
  Effect.flatMap(requestTo(path, options), (request) => fetched(request, (response) => response))

/** Sends a request with the correct token. */
export const call = Effect.fnUntraced(function* (path: string, options: CallOptions = {}) {
  const caller = yield* Caller
  return yield* caller(yield* requestTo(path, options))
})

export const send = (fields: Readonly<Record<string, unknown>> = sms) =>
  call("/sms/send", { method: "POST", body: JSON.stringify(fields) })

export const json = ({ body }: ReadResponse): unknown => JSON.parse(body)

export interface RawResponse {
  readonly text: string
  /** How the connection ended: an error code, `closed` by the sandbox, or `left` by this client. */
  readonly end: string
}

/** Writes bytes to a socket. Disconnects when `leave` returns true for the received text. */
export const raw = Effect.fnUntraced(function* (
  request: string,
  leave: (text: string) => boolean = () => false
) {
  const { baseUrl } = yield* Sandbox
  const { hostname, port } = new URL(baseUrl)
  return yield* Effect.callback<RawResponse>((resume) => {
    let text = ""
    const done = (end: string) => {
      socket.destroy()
      resume(Effect.succeed({ text, end }))
    }
    const socket = Net.connect({ host: hostname, port: Number(port) }, () => socket.write(request))
    socket.on("data", (chunk) => {
      text += chunk.toString()
      if (leave(text)) done("left")
    })
    socket.on("end", () => done("closed"))
    socket.on("error", (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
    return Effect.sync(() => socket.destroy())
  })
})

/** The response to a minimal request with these header lines. */
export const bare = Effect.fnUntraced(function* (
  line: string,
  headers: ReadonlyArray<string> = ["Host: localhost"]
) {
  const { text } = yield* raw(
    [`${line} HTTP/1.1`, ...headers, "Connection: close", "", ""].join("\r\n")
  )
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1]), text, body: bodyOf(text) }
})

/** The HTTP request of `sendSms`, as text. */
export const rawSend = Effect.gen(function* () {
  const body = JSON.stringify(sms)
  return [
    "POST /sms/send HTTP/1.1",
    "Host: localhost",
    `Authorization: ${yield* authorization}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "",
    body
  ].join("\r\n")
})

export const headersArrived = (text: string): boolean => text.includes("\r\n\r\n")

export const bodyOf = (text: string): string => text.slice(text.indexOf("\r\n\r\n") + 4)
