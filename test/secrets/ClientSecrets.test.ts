import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup, type MessagingTopupOptions } from "@messaging-topup/core"
import * as HttpClientTransport from "@messaging-topup/core/http-client"
import { createClient } from "@messaging-topup/core/promise"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import {
  reply,
  reset,
  responseServer,
  type Respond,
  silence,
  urlWithoutServer
} from "../harness/ResponseServer.ts"
import { client, transports } from "../harness/Clients.ts"
import { withoutRetryDelays } from "../harness/TestTime.ts"
import {
  clientFailures,
  contract,
  errorTags,
  type OperationName,
  operationNames,
  recipient,
  text
} from "../harness/Contract.ts"
import {
  expectNothingShown,
  observed,
  renderings,
  renderingsWithHidden,
  suspects
} from "../harness/Renderings.ts"
import { isFull } from "../harness/Runs.ts"
import { serving } from "../harness/Serving.ts"

type Service = MessagingTopup["Service"]

const secret = "9f3a/t0ken+of=the.tests~"
const token = Redacted.make(secret)
const id = "id-of-the-message-81c2"

const secretForms: ReadonlyArray<string> = [
  secret,
  encodeURIComponent(secret),
  btoa(secret),
  btoa(`Bearer ${secret}`)
]

const personal: ReadonlyArray<string> = [recipient, recipient.slice(1), text, id]

const shown = [...secretForms, ...personal]

/** No property of an error has the token, and no rendering of it has personal data. */
const expectNothing = expectNothingShown(shown, secretForms)

const words = `${secret} ${recipient} ${text} ${id}`

/** Everything that a server can send back, at every place of a response. */
const echoed = {
  success: false,
  error: {
    status: 0,
    title: `Title ${words}`,
    detail: `Detail ${words}`,
    [`key ${words}`]: words,
    list: [secret, { deep: words }]
  },
  [`key ${words}`]: words
}

const headers = {
  "content-type": "application/json",
  "www-authenticate": `Bearer realm="${secret}"`,
  "set-cookie": `session=${secret}`,
  location: `/${encodeURIComponent(words)}`,
  "retry-after": secret,
  "x-request-id": secret,
  "x-echo": words
}

const echo =
  (status: number, body: unknown): Respond =>
  (request, response) => {
    response.writeHead(status, `Reason ${words}`, headers)
    response.end(
      typeof body === "string"
        ? `${body} ${request.headers.authorization} ${request.url} ${request.body}`
        : JSON.stringify(body)
    )
  }

const html = `<html><title>${words}</title></html>`

const calls: Readonly<
  Record<OperationName, (service: Service) => Effect.Effect<unknown, { readonly _tag: string }>>
> = {
  sendSms: (service) =>
    service.sendSms({ recipient, message: text, webhook_url: `https://example.test/${id}` }),
  getSmsStatus: (service) => service.getSmsStatus(id),
  getAirtimeStatus: (service) => service.getAirtimeStatus(id),
  getDataBundleStatus: (service) => service.getDataBundleStatus(id),
  listDataBundles: (service) => service.listDataBundles({ query: { network: id, for: recipient } })
}

const unsendableText = `${words} \ud800`

const unsendable: typeof calls = {
  sendSms: (service) =>
    // @ts-expect-error: an untyped caller passes a list
    service.sendSms({ recipient: [recipient, id], message: text }),
  getSmsStatus: (service) => service.getSmsStatus(unsendableText),
  getAirtimeStatus: (service) => service.getAirtimeStatus(unsendableText),
  getDataBundleStatus: (service) => service.getDataBundleStatus(unsendableText),
  listDataBundles: (service) =>
    service.listDataBundles({ query: { network: [id, unsendableText] } })
}

const begun =
  (status: number, then: (response: Parameters<Respond>[1]) => void): Respond =>
  (_, response) => {
    response.writeHead(status, { ...headers, "content-length": "10000" })
    response.write(words, () => then(response))
  }

const bodies: ReadonlyArray<(status: number) => Respond> = [
  (status) => echo(status, echoed),
  (status) => echo(status, html),
  // A JSON parser repeats a text this short completely.
  (status) => reply(status, recipient),
  (status) => echo(status, { error: words, success: words, data: [words], category: words }),
  (status) =>
    echo(status, {
      success: false,
      status: [words],
      message: words,
      data: [{ recipient: 15550100123, [words]: words, message_id: [words] }],
      category: [{ [words]: words }],
      error: { status: 15550100123.5, title: words, detail: words }
    })
]

interface ErrorCase {
  readonly respond?: Respond
  readonly options?: Partial<MessagingTopupOptions>
  readonly call?: (typeof calls)[OperationName]
}

/** Every error of the operation, from every possible cause. */
const errorCases = (name: OperationName, closed: string): ReadonlyArray<ErrorCase> => {
  const { errors, successStatus } = contract[name]
  const short = { timeout: "60 millis" } as const
  const bare: ReadonlyArray<ErrorCase> = [
    { respond: echo(successStatus, html), options: { maxBodyBytes: 30 } },
    { options: { baseUrl: closed } },
    { respond: reset },
    { respond: begun(successStatus, (response) => response.destroy()) },
    { respond: silence, options: short },
    { respond: begun(successStatus, () => undefined), options: short },
    { call: unsendable[name] }
  ]
  return [successStatus, ...errors, 201, 302, 418, 429, 503]
    .flatMap((status) => bodies.map((body): ErrorCase => ({ respond: body(status) })))
    .concat(bare)
}

/** A success with these words in all of its texts. */
const successOf = (name: OperationName): unknown =>
  JSON.parse(JSON.stringify(contract[name].success), (_, value: unknown) =>
    typeof value === "string" ? words : value
  )

const codeUnit = (character: string) => character.charCodeAt(0).toString(16).padStart(4, "0")

/** Writers of JSON and URLs differ in what they escape, and how. */
const escapes: Readonly<Record<string, (value: string) => string>> = {
  "a backslash": (value) => value.replaceAll("/", "\\/"),
  "small hexadecimals": (value) =>
    value.replaceAll(/[/+=~]/g, (character) => `\\u${codeUnit(character)}`),
  "capital hexadecimals": (value) =>
    value.replaceAll(/[/+=~]/g, (character) => `\\u${codeUnit(character).toUpperCase()}`),
  "percent signs": encodeURIComponent
}

describe("the renderings", () => {
  it("each show a secret that is not hidden", () => {
    const open = Object.assign(new Error(secret), { secret })
    for (const value of [open, Exit.fail(open), Exit.die(open)]) {
      const texts = { ...renderings(value), ...renderingsWithHidden(value) }
      const silent = Object.entries(texts).flatMap(([name, rendering]) =>
        rendering.includes(secret) ? [] : [name]
      )
      // These do not include the message of the error.
      const short = /^(Cause|Exit): (inspect|format %O)$|: name$/
      expect(silent.filter((name) => !short.test(name))).toEqual([])
    }
  })

  it.live("of a call show its spans, metrics and logs", () =>
    Effect.gen(function* () {
      const count = Metric.withAttributes(Metric.counter("calls"), { secret })
      const call = Metric.update(count, 1).pipe(
        Effect.andThen(Effect.logInfo(secret)),
        Effect.andThen(Effect.fail(secret)),
        Effect.withSpan("call", { attributes: { secret } })
      )
      const { logs, texts } = yield* observed(call)
      expect(logs).toContain(secret)
      expect(suspects(texts, [secret])).toHaveLength(6)
    })
  )
})

/** The full tests use all of them. `sendSms` has every documented error. */
const someTransports = isFull ? transports : transports.slice(0, 1)
const someOperations = isFull ? operationNames : (["sendSms"] as const)

describe.for(someTransports)("over %s", ([transportName, transport]) => {
  // Node's fetch does not say whether a connection was made.
  const afterClosedPort = transportName === "undici" ? "ConnectionFailed" : "ConnectionLost"

  it.live.each(someOperations)(
    "no error, span or metric of %s shows the token or personal data, for any response",
    (name) =>
      Effect.gen(function* () {
        const closed = urlWithoutServer
        const tags = new Set<string>()
        for (const [at, each] of errorCases(name, closed).entries()) {
          const { call = calls[name], options, respond = echo(500, html) } = each
          const { exit, logs, texts } = yield* serving(
            { transport, token, ...options },
            function* (service, server) {
              server.respondWith(respond)
              return yield* withoutRetryDelays(observed(call(service)))
            }
          )
          const what = `case ${at}`
          const error = yield* Effect.flip(exit)
          tags.add(error._tag)
          expectNothing(error, what)
          expectNothing(exit, what)
          expect(suspects(texts, shown), what).toEqual([])
          expect(logs, what).toBe("")
        }
        const documented = contract[name].errors.map((status) => errorTags[status])
        const failures = clientFailures.filter((tag) => tag !== "ConnectionFailed")
        expect(tags).toEqual(new Set([...failures, afterClosedPort, ...documented]))
        const { successStatus } = contract[name]
        const { exit, texts } = yield* serving({ transport, token }, function* (service, server) {
          server.respondWith(reply(successStatus, successOf(name), { "x-echo": words }))
          return yield* observed(calls[name](service))
        })
        expect(Exit.isSuccess(exit)).toBe(true)
        // Effect ends a span with the exit, and a success contains the data of the response.
        const told = Object.entries(texts).filter(
          ([rendering]) => !/: span( status)?$/.test(rendering)
        )
        expect(told.length).toBeGreaterThan(2)
        expect(suspects(Object.fromEntries(told), shown)).toEqual([])
      })
  )

  it.live("an interrupted call shows neither the token nor personal data", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const { exit, texts } = yield* serving({ transport, token }, function* (service, server) {
        server.respondWith(() => Deferred.doneUnsafe(asked, Effect.void))
        const interrupting = Effect.andThen(Deferred.await(asked), Effect.interrupt)
        return yield* observed(Effect.raceFirst(calls.sendSms(service), interrupting))
      })
      expect(Exit.hasInterrupts(exit)).toBe(true)
      expectNothing(exit)
      expect(suspects(texts, shown)).toEqual([])
    })
  )
})

it.live("the service's explanation stays readable, without the token", () =>
  serving({ token }, function* (service, server) {
    const cleaned = `<redacted> ${recipient} ${text} ${id}`
    server.respondWith(echo(404, echoed))
    const notFound = yield* Effect.flip(service.getSmsStatus(id))
    expect(notFound).toMatchObject({
      error: { title: `Title ${cleaned}`, detail: `Detail ${cleaned}` }
    })
    for (const status of [200, 404, 503]) {
      server.respondWith(echo(status, html))
      const error = yield* Effect.flip(service.getSmsStatus(id))
      expect(error).toMatchObject({
        body: `<html><title>${cleaned}</title></html> Bearer <redacted> /sms/${id} `,
        response: { headers: { "x-echo": expect.stringMatching(/^<redacted> /) } }
      })
    }
  })
)

describe("the token in a body that is cut", () => {
  const bound = 64 * 1024
  /** The full tests cut at every place. */
  const step = isFull ? 1 : 9
  const spelled = { "as it is": (value: string) => value, ...escapes }

  it.live.each(Object.entries(spelled))(
    "written %s, is removed completely, wherever the body is cut",
    ([, spell]) =>
      serving({ token }, function* (service, server) {
        const spelling = spell(secret)
        for (let inside = 0; inside <= spelling.length; inside += step) {
          const body = `${"x".repeat(bound - inside)}${spelling}${"y".repeat(bound)}`
          server.respondWith((_, response) => response.writeHead(503).end(body))
          const error = yield* Effect.flip(service.getSmsStatus(id))
          expect(error).toMatchObject({
            body: `${"x".repeat(bound - inside)}<redacted>${"y".repeat(bound)}`.slice(0, bound)
          })
        }
      })
  )

  // Of a text of 10 MiB, the search stopped the event loop for seconds.
  it.live("is searched for only in what is kept, also of a documented error's detail", () =>
    serving({ token }, function* (service, server) {
      for (const detail of [secret.repeat(30_000), `${"x".repeat(bound - 1)}${secret}`.repeat(2)]) {
        server.respondWith((_, response) => response.writeHead(503).end(detail))
        const { body } = Object(yield* Effect.flip(service.getSmsStatus(id)))
        server.respondWith(reply(400, { error: { detail } }))
        expect(yield* Effect.flip(service.getSmsStatus(id))).toMatchObject({
          error: { detail: body }
        })
      }
    })
  )

  it.live.each(Object.entries(spelled))(
    "written %s, is removed completely if the body is larger than allowed",
    ([, spell]) =>
      serving({ token, maxBodyBytes: 300 }, function* (service, server) {
        const spelling = spell(secret)
        for (let inside = 1; inside < spelling.length; inside += step) {
          const body = `${"x".repeat(300 - inside)}${spelling}${"y".repeat(100)}`
          server.respondWith((_, response) => response.writeHead(503).end(body))
          expect(yield* Effect.flip(service.getSmsStatus(id))).toMatchObject({
            body: "x".repeat(300 - 6 * secret.length)
          })
        }
      })
  )
})

const over = (http: HttpClient.HttpClient) =>
  Layer.provide(HttpClientTransport.layer, Layer.succeed(HttpClient.HttpClient, http))

it.live("the longest token shows in no failure", () => {
  const long = "Ab3_".repeat(8192 / 4)
  return serving({ token: Redacted.make(long) }, function* (service, server) {
    server.respondWith(reply(503, `seen: ${long}`))
    expect(yield* Effect.flip(service.getSmsStatus(id))).toMatchObject({ body: "seen: <redacted>" })
  })
})

/** Errors of a client that repeats the request in its errors. */
const careless = (request: HttpClientRequest.HttpClientRequest) => ({
  error: Object.assign(new Error(`No response to ${JSON.stringify(request.headers)}`), {
    headers: request.headers,
    options: { request },
    code: request.headers["authorization"]
  }),
  description: `Could not send ${request.headers["authorization"]}`
})

type Transport = (
  request: HttpClientRequest.HttpClientRequest
) => Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

const brokenBody = (error: Error) =>
  new Response(new ReadableStream({ pull: (controller) => controller.error(error) }), {
    status: 202
  })

const transportsThatTell: Readonly<Record<string, Transport>> = {
  "fails with the request": (request) => {
    const { description, error } = careless(request)
    const reason = new HttpClientError.TransportError({ request, cause: error, description })
    return Effect.fail(new HttpClientError.HttpClientError({ reason }))
  },
  "breaks during the body": (request) =>
    Effect.succeed(HttpClientResponse.fromWeb(request, brokenBody(careless(request).error))),
  "dies with the headers of the request": (request) => Effect.die(careless(request).error),
  "dies with the request": (request) => Effect.die(request),
  "dies with a text": (request) => Effect.die(careless(request).description),
  throws: (request) => {
    throw careless(request).error
  }
}

describe("a transport that repeats the request in its errors", () => {
  it.live.each(Object.entries(transportsThatTell))(
    "and %s shows nothing of it in the failure",
    ([, transport]) =>
      Effect.gen(function* () {
        const call = (service: Service) => observed(calls.sendSms(service))
        const { exit, texts } = yield* Effect.flatMap(MessagingTopup, call).pipe(
          Effect.provide(
            client("https://service.test", over(HttpClient.make(transport)), { token })
          )
        )
        const failure = yield* Effect.flip(Effect.sandbox(exit))
        expect(Cause.squash(failure)).toMatchObject({ _tag: "ConnectionLost" })
        expectNothing(exit)
        expect(suspects(texts, shown)).toEqual([])
      })
  )
})

// ClientSettings.test.ts has the refusals.
it.effect("options show no token, and the client made of them does not either", () =>
  Effect.gen(function* () {
    const options: MessagingTopupOptions = { baseUrl: "https://service.test", token }
    const layer = client(options.baseUrl, undefined, options)
    const exit = yield* Effect.exit(Effect.scoped(Layer.build(layer)))
    for (const value of [options, layer, exit, yield* exit]) {
      expect(
        suspects({ ...renderings(value), ...renderingsWithHidden(value) }, secretForms)
      ).toEqual([])
    }
  })
)

it.live(
  "the rejections that only the promise client has show neither token nor personal data",
  () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* responseServer
      const promises = createClient({ baseUrl, token: secret })
      const rejection = () =>
        promises.sendSms({ recipient, message: text }, { signal: AbortSignal.abort(words) }).then(
          () => "a success",
          (error: unknown) => error
        )
      const aborted = yield* Effect.promise(rejection)
      expect(aborted).toMatchObject({ _tag: "Aborted" })
      expectNothing(aborted)
      expect(suspects(renderingsWithHidden(promises), secretForms)).toEqual([])
      yield* Effect.promise(() => promises.close())
      const closed = yield* Effect.promise(rejection)
      expect(closed).toMatchObject({ _tag: "ClientClosed" })
      expectNothing(closed)
    })
)
