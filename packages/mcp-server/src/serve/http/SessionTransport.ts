/**
 * The transport of a session. The SDK never ends the response to a call that was cancelled; this one does.
 */
import {
  type HandleRequestOptions,
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import * as Predicate from "effect/Predicate"

const isId = (value: unknown): value is RequestId =>
  Predicate.isString(value) || Predicate.isNumber(value)

// The guards of the SDK parse whole messages, which takes longer than all of this.

const idOfRequest = (message: unknown): ReadonlyArray<RequestId> =>
  Predicate.hasProperty(message, "method") &&
  Predicate.hasProperty(message, "id") &&
  isId(message.id)
    ? [message.id]
    : []

/** Returns the id of the request that a message cancels. */
const cancelledBy = (message: unknown): RequestId | undefined =>
  Predicate.hasProperty(message, "method") &&
  message.method === "notifications/cancelled" &&
  Predicate.hasProperty(message, "params") &&
  Predicate.hasProperty(message.params, "requestId") &&
  isId(message.params.requestId)
    ? message.params.requestId
    : undefined

export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  /** The requests that wait for their result, each with all of its body that do. */
  readonly #waiting = new Map<RequestId, Set<RequestId>>()

  override handleRequest(request: Request, options?: HandleRequestOptions): Promise<Response> {
    const messages: ReadonlyArray<unknown> = [options?.parsedBody].flat()
    const ids = messages.flatMap(idOfRequest)
    const together = new Set(ids)
    for (const id of together) {
      // A client must not use the id of a call in flight again. If it does, nothing else ends that response.
      this.#end(id)
      this.#waiting.set(id, together)
    }
    return super.handleRequest(request, options).then((response) => {
      for (const message of messages) this.#end(cancelledBy(message))
      return response
    })
  }

  override send(
    message: JSONRPCMessage,
    options?: { relatedRequestId?: RequestId }
  ): Promise<void> {
    return super.send(message, options).then(() => {
      if (!("method" in message)) this.#end(message.id)
    })
  }

  /** Ends the response when no request of its body waits any more. If the SDK ended it, this does nothing. */
  #end(id: RequestId | undefined): void {
    if (id === undefined) return
    const together = this.#waiting.get(id)
    this.#waiting.delete(id)
    together?.delete(id)
    if (together?.size === 0) this.closeSSEStream(id)
  }
}
