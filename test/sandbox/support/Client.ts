/**
 * Plain clients, which get the same responses as any client.
 */
import { Sandbox } from "@messaging-topup/sandbox"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Net from "node:net"

export const sms = { recipient: "+15551234567", message: "Hello" }

export const authorization = Effect.map(Sandbox, ({ token }) => `Bearer ${Redacted.value(token)}`)

export interface ReadResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** The error of `fetch`: its message, and the code of its cause. */
export class FetchFailed extends Data.TaggedError("FetchFailed")<{
  readonly reason: string
  readonly code: string | undefined
}> {}

const fetchFailed = (error: unknown): FetchFailed => {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined
  return new FetchFailed({ reason: error instanceof Error ? error.message : String(error), code })
}

/**
 * Sends a request with the correct token, and returns after the headers. `init` can replace the
 * headers.
 */
export const open = Effect.fnUntraced(function* (path: string, init: RequestInit = {}) {
  const { baseUrl } = yield* Sandbox
  const headers = { authorization: yield* authorization, "content-type": "application/json" }
  return yield* Effect.tryPromise({
    try: (signal) => fetch(baseUrl + path, { headers, redirect: "manual", signal, ...init }),
    catch: fetchFailed
  })
})

/** Like `open`, but also reads the body of the response. */
export const call = Effect.fnUntraced(function* (path: string, init: RequestInit = {}) {
  const response = yield* open(path, init)
  const body = yield* Effect.tryPromise({ try: () => response.text(), catch: fetchFailed })
  const read: ReadResponse = { status: response.status, headers: response.headers, body }
  return read
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
