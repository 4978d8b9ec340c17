/**
 * The contenders of the HTTP benchmarks: all make the same two calls.
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
type Operation = (typeof operations)[number]

/** The workers share the calls. Each worker makes one call after the other. */
interface Load {
  readonly calls: number
  readonly workers: number
}

export interface Client {
  readonly run: (operation: Operation, load: Load) => Promise<void>
  /** Sends one SMS, and returns the reported outcome. Empty if the client reports none. */
  readonly send: () => Promise<string>
}

export type MakeClient = (url: string, timeoutMillis: number) => Promise<Client>

const messageId = "bench-1"
const message = { recipient: "+15550100", message: "Your code is 4711" }
const token = "token-of-the-benchmark"
const headers = { authorization: `Bearer ${token}`, accept: "application/json" }
const jsonHeaders = { ...headers, "content-type": "application/json" }

type Calls = Readonly<Record<Operation, () => Promise<unknown>>>

const work = async ({ calls, workers }: Load, call: () => Promise<unknown>): Promise<void> => {
  const worker = async () => {
    for (let made = 0; made < calls / workers; made++) await call()
  }
  await Promise.all(Array.from({ length: workers }, worker))
}

/** A client whose rejections do not report the outcome. */
const plainClient = (calls: Calls): Client => ({
  run: (operation, load) => work(load, calls[operation]),
  send: () =>
    calls.sendSms().then(
      () => "sent",
      () => ""
    )
})

const bareFetch: MakeClient = (url) =>
  Promise.resolve(
    plainClient({
      getSmsStatus: async (): Promise<unknown> => {
        const response = await fetch(`${url}/sms/${messageId}`, { headers })
        return JSON.parse(await response.text())
      },
      sendSms: async (): Promise<unknown> => {
        const body = JSON.stringify(message)
        const init = { method: "POST", headers: jsonHeaders, body }
        const response = await fetch(`${url}/sms/send`, init)
        return JSON.parse(await response.text())
      }
    })
  )

const bareUndici: MakeClient = (url) => {
  const dispatcher = new Agent()
  return Promise.resolve(
    plainClient({
      getSmsStatus: async (): Promise<unknown> => {
        const { body } = await request(`${url}/sms/${messageId}`, { dispatcher, headers })
        return JSON.parse(await body.text())
      },
      sendSms: async (): Promise<unknown> => {
        const { body } = await request(`${url}/sms/send`, {
          dispatcher,
          method: "POST",
          headers: jsonHeaders,
          body: JSON.stringify(message)
        })
        return JSON.parse(await body.text())
      }
    })
  )
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
  const calls: Calls = {
    getSmsStatus: () => client.getSmsStatus(messageId),
    sendSms: () => client.sendSms(message)
  }
  return Promise.resolve({
    run: (operation, load) => work(load, calls[operation]),
    send: () =>
      calls.sendSms().then(
        () => "sent",
        (error: unknown) => (isSendSmsRejection(error) ? error.sendOutcome : "")
      )
  })
}

/** By the name in the tables. */
export const ownClients = {
  "`fetch` + `JSON.parse`": bareFetch,
  "`undici.request` + `JSON.parse`": bareUndici,
  "core on `/node`": effectClient(NodeTransport.layer),
  "core `/promise`": promiseClient,
  "core on `/fetch`": effectClient(FetchTransport.layer)
} as const

/** The clients of bench/comparison, where their packages are installed. */
export const otherNames = ["`fetch` + zod", "axios", "stripe", "telnyx", "twilio"] as const

export type ClientName = keyof typeof ownClients | (typeof otherNames)[number]

const isOwn = (name: string): name is keyof typeof ownClients => Object.hasOwn(ownClients, name)

export const makeClient = async (
  name: string,
  url: string,
  timeoutMillis: number
): Promise<Client> => {
  if (isOwn(name)) return ownClients[name](url, timeoutMillis)
  const { clients } = await import("./comparison/clients.js")
  const calls = await clients[name]?.(url, timeoutMillis)
  if (calls === undefined) throw new Error(`There is no contender ${name}`)
  return plainClient(calls)
}
