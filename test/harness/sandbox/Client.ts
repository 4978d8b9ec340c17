/**
 * Plain clients, which get the same responses as any client: of the service, and of the control endpoints.
 */
import { it } from "@effect/vitest"
import { Sandbox, type StoredMessage, type StoredRequest } from "@messaging-topup/sandbox"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Net from "node:net"

export const sms = { recipient: "+15551234567", message: "Hello" }

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

/** How a request reaches the sandbox of the test. Defaults to a socket. */
export const Caller = Context.Reference<
  (request: CallRequest) => Effect.Effect<ReadResponse, CallFailed>
>("test/Caller", {
  defaultValue:
    () =>
    ({ baseUrl, path, ...init }) =>
      Effect.tryPromise({
        try: async (signal) => {
          const response = await fetch(baseUrl + path, { redirect: "manual", signal, ...init })
          return { status: response.status, headers: response.headers, body: await response.text() }
        },
        catch: fetchFailed
      })
})

/** Sends a request with the correct token. */
export const call = Effect.fnUntraced(function* (path: string, options: CallOptions = {}) {
  const caller = yield* Caller
  const { baseUrl, token } = yield* Sandbox
  const authorization = `Bearer ${Redacted.value(token)}`
  const headers = { authorization, "content-type": "application/json" }
  return yield* caller({ baseUrl, path, headers, ...options })
})

/** The variables of a program that uses the sandbox of the test. */
export const sandboxSettings = Effect.map(Sandbox, ({ baseUrl, token }) => ({
  MESSAGING_TOPUP_BASE_URL: baseUrl,
  MESSAGING_TOPUP_TOKEN: Redacted.value(token)
}))

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

export const bodyOf = (text: string): string => text.slice(text.indexOf("\r\n\r\n") + 4)

/** Asks a control endpoint, without a token. */
export const ask = (path: string, options: CallOptions = {}) =>
  call(`/_sandbox${path}`, { headers: {}, ...options })

export const tell = (method: string, path: string, body: unknown) =>
  ask(path, {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })

interface Page {
  /** The `before` of the next page. */
  readonly next?: string
  readonly kept: number
}

interface MessagePage extends Page {
  readonly messages: ReadonlyArray<StoredMessage>
  readonly accepted: number
}

interface RequestPage extends Page {
  readonly requests: ReadonlyArray<StoredRequest>
  readonly received: number
}

export const messagePage = (query = "") =>
  Effect.map(ask(`/messages${query}`), ({ body }): MessagePage => JSON.parse(body))

export const requestPage = (query = "") =>
  Effect.map(ask(`/requests${query}`), ({ body }): RequestPage => JSON.parse(body))

/** The body of a test on a sandbox. */
export type Body = () => Generator<Effect.Effect<unknown, unknown, Sandbox>, unknown, never>

/** A test with its own sandbox, on a real socket. */
export const sandboxTest = (name: string, body: Body) =>
  it.live(name, () => Effect.provide(Effect.gen(body), Sandbox.layer()))
