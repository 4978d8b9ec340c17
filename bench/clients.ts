/**
 * The contenders of the HTTP benchmark: all make the same two calls and hand over the same responses.
 */
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import { Agent, request } from "undici"

export type Operation = "getSmsStatus" | "sendSms"

/** So many workers share the calls; each makes one after the other. */
export interface Load {
  readonly calls: number
  readonly workers: number
}

export interface Client {
  readonly name: string
  readonly run: (operation: Operation, load: Load) => Promise<void>
  readonly close: () => Promise<void>
}

export const bareFetch = "`fetch` + `JSON.parse`"
export const bareUndici = "`undici.request` + `JSON.parse`"
export const coreOnUndici = "`core/node`"

const messageId = "bench-1"
const message = { recipient: "+15550100", message: "Your code is 4711" }
const token = "token-of-the-benchmark"
const headers = { authorization: `Bearer ${token}`, accept: "application/json" }
const jsonHeaders = { ...headers, "content-type": "application/json" }

const work = async ({ calls, workers }: Load, call: () => Promise<unknown>): Promise<void> => {
  const worker = async () => {
    for (let made = 0; made < calls / workers; made++) await call()
  }
  await Promise.all(Array.from({ length: workers }, worker))
}

const workEffect = <E>(
  { calls, workers }: Load,
  call: () => Effect.Effect<unknown, E>
): Effect.Effect<void, E> => {
  const worker = Effect.forEach(Array.from({ length: calls / workers }), call, { discard: true })
  return Effect.forEach(Array.from({ length: workers }), () => worker, {
    concurrency: "unbounded",
    discard: true
  })
}

export const fetchClient = (url: string): Client => {
  const calls = {
    getSmsStatus: async (): Promise<unknown> => {
      const response = await fetch(`${url}/sms/${messageId}`, { headers })
      return JSON.parse(await response.text())
    },
    sendSms: async (): Promise<unknown> => {
      const body = JSON.stringify(message)
      const response = await fetch(`${url}/sms/send`, {
        method: "POST",
        headers: jsonHeaders,
        body
      })
      return JSON.parse(await response.text())
    }
  }
  return {
    name: bareFetch,
    run: (operation, load) => work(load, calls[operation]),
    close: () => Promise.resolve()
  }
}

export const undiciClient = (url: string): Client => {
  const dispatcher = new Agent()
  const calls = {
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
  }
  return {
    name: bareUndici,
    run: (operation, load) => work(load, calls[operation]),
    close: () => dispatcher.close()
  }
}

const coreClient = async (
  name: string,
  url: string,
  transport: Layer.Layer<HttpClient.HttpClient>,
  isTraced: boolean
): Promise<Client> => {
  const runtime = ManagedRuntime.make(
    MessagingTopup.layer({ baseUrl: url, token: Redacted.make(token) }).pipe(
      Layer.provide(transport)
    )
  )
  const service = await runtime.runPromise(MessagingTopup)
  const calls = {
    getSmsStatus: () => service.getSmsStatus(messageId),
    sendSms: () => service.sendSms(message)
  }
  return {
    name: isTraced ? name : `${name}, not traced`,
    run: (operation, load) =>
      runtime.runPromise(
        workEffect<unknown>(load, calls[operation]).pipe(
          Effect.provideService(References.TracerEnabled, isTraced)
        )
      ),
    close: () => runtime.dispose()
  }
}

export const coreClients = (url: string): Promise<ReadonlyArray<Client>> =>
  Promise.all([
    coreClient(coreOnUndici, url, NodeTransport.layer, true),
    coreClient(coreOnUndici, url, NodeTransport.layer, false),
    coreClient("core on `fetch`", url, FetchHttpClient.layer, true),
    coreClient("core on `fetch`", url, FetchHttpClient.layer, false)
  ])
