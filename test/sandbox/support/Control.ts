/**
 * A client of the control endpoints, without a token.
 */
import type { SandboxFault, StoredMessage, StoredRequest } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { call, type ReadResponse } from "./Client.ts"

export const ask = (path: string, init: RequestInit = {}) =>
  call(`/_sandbox${path}`, { headers: {}, ...init })

export const tell = (method: string, path: string, body: unknown) =>
  ask(path, {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })

interface MessagePage {
  readonly messages: ReadonlyArray<StoredMessage>
  readonly next?: string
  readonly kept: number
  readonly accepted: number
}

interface RequestPage {
  readonly requests: ReadonlyArray<StoredRequest>
  readonly next?: string
  readonly kept: number
  readonly received: number
}

export const messagePage = (query = "") =>
  Effect.map(ask(`/messages${query}`), ({ body }): MessagePage => JSON.parse(body))

export const requestPage = (query = "") =>
  Effect.map(ask(`/requests${query}`), ({ body }): RequestPage => JSON.parse(body))

/** The newest request. */
export const lastRequest = Effect.map(requestPage("?limit=1"), ({ requests }) => requests[0])

export const currentFault = Effect.map(
  ask("/fault"),
  ({ body }): SandboxFault | null => JSON.parse(body).fault
)

export const setFault = (fault: SandboxFault) =>
  Effect.map(tell("PUT", "/fault", fault), ({ body }): unknown => JSON.parse(body))

/** Reads an error of the control endpoints. */
export const problem = ({ body, status }: ReadResponse) => {
  const { error, success } = JSON.parse(body)
  return { status, bodyStatus: error.status, success, detail: error.detail }
}
