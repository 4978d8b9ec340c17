/**
 * Calls the control endpoints.
 */
import { signal } from "@preact/signals"
import type { CurrentFault } from "../src/faults/FaultSchema.ts"
import type { MessagePage, RequestPage } from "../src/record/Schemas.ts"
import type { StoredMessage, StoredRequest } from "../src/record/Stored.ts"
import { token } from "./Token.ts"

/** The address of the sandbox, which is where this page was loaded from. */
export const baseUrl = new URL(".", location.href).href.replace(/\/$/, "")

/** Whether only this machine can reach the sandbox. */
export const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(location.hostname)

/** One page of a list, newest first. */
export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  /** The cursor of the next page. */
  readonly next: string | undefined
  readonly kept: number
  /** The count since the start or the last reset. Includes entries that are no longer kept. */
  readonly total: number
}

export interface Filter {
  readonly recipient: string
  readonly text: string
}

/** The sandbox responded with an error status. */
export class Refused extends Error {
  override readonly name = "Refused"
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Whether the sandbox needs a token that the page does not have. */
export const isLocked = signal(false)

const titleOf = (body: string): string | undefined => {
  const [, detail] = /"detail":\s*"((?:[^"\\]|\\.)*)"/.exec(body) ?? []
  return detail
}

const refusedBy = async (response: Response): Promise<Refused> => {
  const detail = titleOf(await response.text())
  return new Refused(response.status, detail ?? `The sandbox responded with ${response.status}`)
}

export const request = async (path: string, init?: RequestInit): Promise<Response> => {
  const headers = new Headers(init?.headers)
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`)
  const response = await fetch(`${baseUrl}/_sandbox/${path}`, {
    ...init,
    headers,
    cache: "no-store"
  })
  if (response.ok) return response
  if (response.status === 401) isLocked.value = true
  throw await refusedBy(response)
}

const read = async <A>(path: string, init?: RequestInit): Promise<A> => {
  const response = await request(path, init)
  const body: A = await response.json()
  return body
}

const write = (method: "POST" | "PUT", body: object) => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

/** The token of the service's endpoints. Unknown if the page has none and must not read it. */
export const serviceToken = signal(token)

export const readServiceToken = async (): Promise<void> => {
  if (token !== undefined) return
  serviceToken.value = (await read<{ readonly token?: string }>("token")).token
}

const maxMilliseconds = 10_000

/** Sends an SMS as a client of the service does. Returns its message id. */
export const sendSms = async (sms: object): Promise<string> => {
  const { body, headers, method } = write("POST", sms)
  const response = await fetch(`${baseUrl}/sms/send`, {
    method,
    body,
    headers: { ...headers, authorization: `Bearer ${serviceToken.value}` },
    signal: AbortSignal.timeout(maxMilliseconds)
  })
  if (response.status !== 202) throw await refusedBy(response)
  const sent: { readonly data: readonly [{ readonly message_id: string }] } = await response.json()
  return sent.data[0].message_id
}

const pageSize = 100

const query = (fields: Readonly<Record<string, string | undefined>>): string => {
  const search = new URLSearchParams({ limit: String(pageSize) })
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== "") search.set(name, value)
  }
  return search.toString()
}

export const listMessages = async (
  { recipient, text }: Filter,
  before: string | undefined
): Promise<Page<StoredMessage>> => {
  const found = await read<typeof MessagePage.Type>(
    `messages?${query({ recipient, text, before })}`
  )
  return { items: found.messages, next: found.next, kept: found.kept, total: found.accepted }
}

export const listRequests = async (before: string | undefined): Promise<Page<StoredRequest>> => {
  const found = await read<typeof RequestPage.Type>(`requests?${query({ before })}`)
  return { items: found.requests, next: found.next, kept: found.kept, total: found.received }
}

const messagePath = (id: string): string => `messages/${encodeURIComponent(id)}`

export const getMessage = (id: string): Promise<StoredMessage> => read(messagePath(id))

export const setMessageStatus = (id: string, status: string): Promise<StoredMessage> =>
  read(`${messagePath(id)}/status`, write("POST", { status }))

export const clearMessages = async (): Promise<void> => {
  await request("messages", { method: "DELETE" })
}

export const clearRequests = async (): Promise<void> => {
  await request("requests", { method: "DELETE" })
}

export type Fault = typeof CurrentFault.Type

export const getFault = (): Promise<Fault> => read("fault")

/** The sandbox checks the fields. */
export const setFault = (fault: object): Promise<Fault> => read("fault", write("PUT", fault))

export const clearFault = async (): Promise<void> => {
  await request("fault", { method: "DELETE" })
}
