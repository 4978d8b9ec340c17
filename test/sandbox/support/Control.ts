/**
 * A client of the control endpoints, without a token.
 */
import type { SandboxFault } from "@messaging-topup/sandbox"
import { CurrentFault, MessagePage, RequestPage, StoredMessage } from "@messaging-topup/sandbox/api"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { call, type ReadResponse } from "./Client.ts"

export const ask = (path: string, init: RequestInit = {}) =>
  call(`/_sandbox${path}`, { headers: {}, ...init })

export const tell = (method: string, path: string, body: unknown) =>
  ask(path, {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })

const read =
  <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  (response: ReadResponse) =>
    Schema.decodeUnknownEffect(Schema.fromJsonString(schema), { onExcessProperty: "error" })(
      response.body
    )

export const readMessage = read(StoredMessage)
export const readFault = read(CurrentFault)

export const messagePage = (query = "") =>
  Effect.flatMap(ask(`/messages${query}`), read(MessagePage))
export const requestPage = (query = "") =>
  Effect.flatMap(ask(`/requests${query}`), read(RequestPage))

/** The newest request. */
export const lastRequest = Effect.map(requestPage("?limit=1"), ({ requests }) => requests[0])

export const setFault = (fault: SandboxFault) =>
  Effect.flatMap(tell("PUT", "/fault", fault), readFault)

/** Reads an error of the control endpoints. */
export const problem = ({ body, status }: ReadResponse) => {
  const { error, success } = JSON.parse(body)
  return { status, bodyStatus: error.status, success, detail: error.detail }
}
