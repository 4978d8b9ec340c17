/**
 * Clients that are compared: all make the same two calls. Bare ones do no more than HTTP and JSON.
 */
import {
  type ConfigurationError,
  MessagingTopup,
  sendOutcome,
  type Transport
} from "@messaging-topup/core"
import * as FetchTransport from "@messaging-topup/core/fetch"
import * as NodeTransport from "@messaging-topup/core/node"
import { createClient, isSendSmsRejection } from "@messaging-topup/core/promise"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { Agent, request } from "undici"

export const operations = ["getSmsStatus", "sendSms"] as const
export type Operation = (typeof operations)[number]

/** The workers share the calls. Each worker makes one call after the other. */
export interface Load {
  readonly calls: number
  readonly workers: number
}

interface Client {
  readonly run: (operation: Operation, load: Load) => Promise<void>
  /** Sends one SMS, and returns the reported outcome. Of other clients it says nothing. */
  readonly send: () => Promise<string>
}

type MakeClient = (url: string, timeoutMillis: number) => Client | Promise<Client>

const messageId = "bench-1"
const message = { recipient: "+15550100", message: "Your code is 4711" }
const token = "token-of-the-benchmark"
const headers = { authorization: `Bearer ${token}`, accept: "application/json" }
const jsonHeaders = { ...headers, "content-type": "application/json" }

/** Of others, only sends are compared. */
interface Calls {
  readonly sendSms: () => Promise<unknown>
  readonly getSmsStatus?: () => Promise<unknown>
}

/** `outcomeOf` returns what a rejection says of the SMS. */
export const clientOf = (
  calls: Calls,
  outcomeOf: (error: unknown) => string = () => ""
): Client => ({
  run: async (operation, { calls: count, workers }) => {
    const call = calls[operation]
    if (call === undefined) throw new Error(`The client has no ${operation}`)
    const worker = async () => {
      for (let made = 0; made < count / workers; made++) await call()
    }
    await Promise.all(Array.from({ length: workers }, worker))
  },
  send: () => calls.sendSms().then(() => "sent", outcomeOf)
})

interface BareRequest {
  readonly method: "GET" | "POST"
  readonly headers: Record<string, string>
  readonly body?: string
}

const bareClient = (call: (path: string, request: BareRequest) => Promise<unknown>): Client =>
  clientOf({
    getSmsStatus: () => call(`/sms/${messageId}`, { method: "GET", headers }),
    sendSms: () => {
      const body = JSON.stringify(message)
      return call("/sms/send", { method: "POST", headers: jsonHeaders, body })
    }
  })

const bareFetch: MakeClient = (url) =>
  bareClient(async (path, init) => {
    const response = await fetch(url + path, init)
    return JSON.parse(await response.text()) as unknown
  })

const bareUndici: MakeClient = (url) => {
  const dispatcher = new Agent()
  return bareClient(async (path, options) => {
    const { body } = await request(url + path, { dispatcher, ...options })
    return JSON.parse(await body.text()) as unknown
  })
}

/** Uses the client as programs do: one runtime, and effects that are composed before they run. */
const effectClient =
  (transport: Layer.Layer<Transport, ConfigurationError>): MakeClient =>
  async (url, timeout) => {
    const runtime = ManagedRuntime.make(
      MessagingTopup.layer({ baseUrl: url, token: Redacted.make(token), timeout }).pipe(
        Layer.provide(transport)
      )
    )
    const service = await runtime.runPromise(MessagingTopup)
    const calls: Readonly<Record<Operation, () => Effect.Effect<unknown, unknown>>> = {
      getSmsStatus: () => service.getSmsStatus(messageId),
      sendSms: () => service.sendSms(message)
    }
    return {
      run: (operation, { calls: count, workers }) => {
        const each = Array.from({ length: count / workers })
        const worker = Effect.forEach(each, calls[operation], { discard: true })
        return runtime.runPromise(
          Effect.all(
            Array.from({ length: workers }, () => worker),
            { concurrency: "unbounded", discard: true }
          )
        )
      },
      send: () => runtime.runPromise(Effect.map(Effect.exit(service.sendSms(message)), sendOutcome))
    }
  }

const promiseClient: MakeClient = (baseUrl, timeout) => {
  const client = createClient({ baseUrl, token, timeout })
  return clientOf(
    {
      getSmsStatus: () => client.getSmsStatus(messageId),
      sendSms: () => client.sendSms(message)
    },
    (error) => (isSendSmsRejection(error) ? error.sendOutcome : "")
  )
}

export const bare = {
  fetch: "bare `fetch`",
  undici: "bare `undici`"
} as const

export const ours = {
  node: "core on `/node`",
  promise: "core `/promise`",
  fetch: "core on `/fetch`"
} as const

/** By their names in the tables. */
export const clients: ReadonlyMap<string, MakeClient> = new Map([
  [bare.fetch, bareFetch],
  [bare.undici, bareUndici],
  [ours.node, effectClient(NodeTransport.layer)],
  [ours.promise, promiseClient],
  [ours.fetch, effectClient(FetchTransport.layer)]
])
