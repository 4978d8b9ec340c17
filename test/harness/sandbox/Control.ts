/**
 * A client of the control endpoints, without a token.
 */
import type { StoredMessage, StoredRequest } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { type CallOptions, call } from "./Client.ts"

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
