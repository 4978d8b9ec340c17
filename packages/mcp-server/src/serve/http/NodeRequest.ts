/**
 * Requests of `node:http`, as the `Request` that the SDK takes.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { errorResponse } from "./JsonRpcErrors.ts"
import { maxBodyBytes } from "./Limits.ts"

const hostHeader = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i

const addressOf = ({ headers, url = "" }: IncomingMessage): string =>
  // HTTP/1.0 does not require the Host header.
  `http://${headers.host ?? "localhost"}${url}`

/** Whether host and target form a URL. */
const hasAddress = (message: IncomingMessage): boolean => {
  const { headers, url = "" } = message
  const { host = "localhost" } = headers
  return url.startsWith("/") && hostHeader.test(host) && URL.canParse(addressOf(message))
}

/** Methods that a `Request` cannot have. */
const forbidden = new Set(["CONNECT", "TRACE", "TRACK"])

/** Returns the error status for a message that cannot become a `Request`. */
export const unfitStatus = (message: IncomingMessage): number | undefined => {
  if (forbidden.has(message.method ?? "")) return 405
  return hasAddress(message) ? undefined : 400
}

/** Calls `listener` when the response is sent completely, or its connection has ended. */
export const onClose = (outgoing: ServerResponse, listener: () => void): void => {
  if (outgoing.closed) listener()
  else outgoing.once("close", listener)
}

/** What the SDK and this server read of `Headers`. To make real ones, each value is checked and copied. */
class NodeHeaders {
  readonly #headers: IncomingHttpHeaders

  constructor({ headers }: IncomingMessage) {
    this.#headers = headers
  }

  get(name: string): string | null {
    const value = this.#headers[name.toLowerCase()]
    return value === undefined ? null : String(value)
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  delete(name: string): void {
    delete this.#headers[name.toLowerCase()]
  }
}

/**
 * What the SDK reads of a `Request` whose body was parsed before. To make a real one, with a signal, takes
 * a tenth of a call.
 */
class NodeRequest {
  readonly method: string
  readonly url: string
  readonly headers: NodeHeaders
  readonly #outgoing: ServerResponse
  #signal: AbortSignal | undefined

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.method = incoming.method ?? "GET"
    this.url = addressOf(incoming)
    this.headers = new NodeHeaders(incoming)
    this.#outgoing = outgoing
  }

  /** Aborts when the connection ends before the response is sent completely. */
  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const controller = new AbortController()
      this.#signal = controller.signal
      onClose(this.#outgoing, () => {
        if (!this.#outgoing.writableFinished) controller.abort()
      })
    }
    return this.#signal
  }
}

// Everything else of them throws, so that a version of the SDK that reads more is noticed.
Object.setPrototypeOf(NodeHeaders.prototype, Headers.prototype)
Object.setPrototypeOf(NodeRequest.prototype, Request.prototype)

export const requestOf = (incoming: IncomingMessage, outgoing: ServerResponse): Request => {
  const read: object = new NodeRequest(incoming, outgoing)
  // The rest is there too: it throws.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return read as Request
}

const tooLarge = (): Response =>
  errorResponse(413, `Payload Too Large: Request body must not exceed ${maxBodyBytes} bytes`)

const utf8 = new TextDecoder()

/** Returns the body, or the response to one that is too long. The rest of that stays readable. */
export const bodyOf = (incoming: IncomingMessage): Promise<string | Response> =>
  new Promise((resolve, reject) => {
    if (Number(incoming.headers["content-length"]) > maxBodyBytes) {
      resolve(tooLarge())
      return
    }
    const ended = () => reject(new Error("The connection ended before the body did"))
    // Its caller may be gone since it was authenticated.
    if (incoming.destroyed) {
      ended()
      return
    }
    const chunks = new Array<Buffer>()
    let bytes = 0
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes <= maxBodyBytes) return
      incoming.off("data", onData).pause()
      resolve(tooLarge())
    }
    incoming
      .on("data", onData)
      .once("end", () => {
        incoming.off("close", ended)
        resolve(utf8.decode(Buffer.concat(chunks)))
      })
      .once("close", ended)
  })
