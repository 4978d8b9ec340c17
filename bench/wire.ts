/**
 * What one send puts on the wire when something goes wrong, and what the caller is told.
 */
import { MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { once } from "node:events"
import { createServer } from "node:net"
import { withServer } from "./child.ts"
import { type Row, type Section, targetColumns, verdict } from "./report.ts"

interface Sender {
  readonly name: string
  /** Sends one SMS and says what the caller is told. */
  readonly send: (baseUrl: string) => Effect.Effect<string>
}

interface Fault {
  readonly name: string
  readonly path: string
  readonly maxPosts: number
}

const faults: ReadonlyArray<Fault> = [
  { name: "connection reset after the body", path: "reset", maxPosts: 1 },
  { name: "500", path: "500", maxPosts: 1 },
  { name: "429", path: "429", maxPosts: 1 },
  { name: "no response", path: "silence", maxPosts: 1 },
  { name: "connection refused", path: "refused", maxPosts: 0 }
]

const timeout = "300 millis"
const message = { recipient: "+15550100", message: "Your code is 4711" }

const core = (name: string, transport: Layer.Layer<HttpClient.HttpClient>): Sender => ({
  name,
  send: (baseUrl) =>
    Effect.flatMap(MessagingTopup, (service) => service.sendSms(message)).pipe(
      Effect.match({ onSuccess: () => "sent", onFailure: sendOutcome }),
      Effect.provide(
        MessagingTopup.layer({ baseUrl, token: Redacted.make("token"), timeout }).pipe(
          Layer.provide(transport)
        )
      ),
      Effect.orDie
    )
})

const retryTransient: Sender = {
  name: "`retryTransient`",
  send: (baseUrl) =>
    Effect.gen(function* () {
      const client = HttpClient.retryTransient(yield* HttpClient.HttpClient, { times: 2 })
      const request = yield* HttpClientRequest.post(`${baseUrl}/sms/send`).pipe(
        HttpClientRequest.bodyJson(message)
      )
      yield* Effect.timeout(client.execute(request), timeout)
    }).pipe(Effect.ignore, Effect.as(""), Effect.provide(FetchHttpClient.layer))
}

const senders: ReadonlyArray<Sender> = [
  core("`core/node`", NodeTransport.layer),
  core("core on `fetch`", FetchHttpClient.layer),
  retryTransient
]

/** The URL of a port that nobody listens on. */
const refusingUrl = async (): Promise<string> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("There is no port")
  return `http://127.0.0.1:${address.port}`
}

const rowOf = async (url: string, refusing: string, fault: Fault): Promise<Row> => {
  const results = await Promise.all(
    senders.map(async ({ send }, index) => {
      const path = `/${fault.path}/${index}`
      const outcome = await Effect.runPromise(send((fault.maxPosts === 0 ? refusing : url) + path))
      const counted = await fetch(url + path)
      return { outcome, posts: Number(await counted.text()) }
    })
  )
  const ours = results.slice(0, 2)
  return [
    fault.name,
    ...results.map(({ posts }) => String(posts)),
    [...new Set(ours.map(({ outcome }) => outcome))].join(" or "),
    ...verdict({
      text: fault.maxPosts === 0 ? "0" : `≤ ${fault.maxPosts}`,
      isMet: ours.every(({ posts }) => posts <= fault.maxPosts)
    })
  ]
}

export const wire = async (): Promise<Section> => ({
  title: "A send that fails",
  text: `How many POSTs the server counts for one \`sendSms\`, and what \`sendOutcome\` says. A connection is
refused where no server is: nothing can be counted there. For comparison, Effect's own
\`HttpClient.retryTransient\` with two retries on \`fetch\`, within a time-out: it sends again whatever the
method, and has no word on the outcome.`,
  columns: ["fault", ...senders.map(({ name }) => name), "outcome", ...targetColumns],
  rows: await withServer(new URL("faultServer.ts", import.meta.url), async (url) => {
    const refusing = await refusingUrl()
    return Promise.all(faults.map((fault) => rowOf(url, refusing, fault)))
  })
})
