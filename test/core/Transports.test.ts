import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup, sendOutcome } from "@messaging-topup/core"
import { isConnectFailure } from "../../packages/core/src/transport/ConnectPhase.ts"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import { reply } from "../support/ResponseServer.ts"
import { changed, client, transports } from "../support/Clients.ts"
import { contract, recipient, text } from "../support/Contract.ts"
import { serving } from "../support/Serving.ts"

const systemError = (code: string, syscall: string) =>
  Object.assign(new Error("a message that nobody should read"), { code, syscall })

const coded = (code: string) => Object.assign(new Error("a message"), { code })

const looped = coded("ECONNRESET")
looped.cause = looped

const refused = systemError("ECONNREFUSED", "connect")
const reset = systemError("ECONNRESET", "read")

type Cases = Readonly<Record<string, readonly [code: string | undefined, cause: unknown]>>

const connect = (code: string) => [code, systemError(code, "connect")] as const

const plain = (code: string) => [code, coded(code)] as const

/** Errors of transports before a connection. */
const before: Cases = {
  "a refused connect": connect("ECONNREFUSED"),
  "a failed look-up": ["ENOTFOUND", systemError("ENOTFOUND", "getaddrinfo")],
  "an unreachable host": connect("EHOSTUNREACH"),
  "a connection time-out": connect("ETIMEDOUT"),
  "undici's connect time-out": plain("UND_ERR_CONNECT_TIMEOUT"),
  "Bun's refused connect": plain("ConnectionRefused"),
  "a certificate of another host": plain("ERR_TLS_CERT_ALTNAME_INVALID"),
  "a self-signed certificate": plain("DEPTH_ZERO_SELF_SIGNED_CERT"),
  "fetch failed, with such a cause": [
    "ECONNREFUSED",
    new TypeError("fetch failed", { cause: refused })
  ],
  "every address refused": [undefined, new AggregateError([refused, refused])]
}

/** Errors after which a request may have gone out. */
const after: Cases = {
  "one address refused, one reset": [undefined, new AggregateError([refused, reset])],
  "no address tried": [undefined, new AggregateError([])],
  "a reset": ["ECONNRESET", reset],
  "a host that became unreachable": ["EHOSTUNREACH", systemError("EHOSTUNREACH", "write")],
  "a broken pipe": ["EPIPE", systemError("EPIPE", "write")],
  "a closed socket": plain("UND_ERR_SOCKET"),
  "a broken handshake": plain("ERR_SSL_WRONG_VERSION_NUMBER"),
  "a browser, which gives no reason": [undefined, new TypeError("Failed to fetch")],
  "a cause that refers to itself": ["ECONNRESET", looped],
  "a code that is a sentence": [undefined, coded("call +1 555 0100123")],
  "a string": [undefined, "broken"],
  nothing: [undefined, undefined]
}

const failing = (cause: unknown) =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) =>
      Effect.fail(
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({ request, cause })
        })
      )
    )
  )

describe("a fetch that sends once and fails with", () => {
  it.each(Object.entries(before))("%s has not started its request", (_, [, cause]) => {
    expect(isConnectFailure(cause)).toBe(true)
  })

  it.each(Object.entries(after))("%s may have started it", (_, [, cause]) => {
    expect(isConnectFailure(cause)).toBe(false)
  })
})

// Another transport may have sent before, and shows only its last failure.
describe("a transport that fails", () => {
  it.live.each(Object.entries({ ...before, ...after }))(
    "with %s may have sent",
    ([, [code, cause]]) =>
      Effect.gen(function* () {
        const service = yield* MessagingTopup
        const error = yield* Effect.flip(service.sendSms({ recipient, message: text }))
        expect(error._tag).toBe("ConnectionLost")
        expect(sendOutcome(error)).toBe("unknown")
        expect("code" in error ? error.code : undefined).toBe(code)
      }).pipe(Effect.provide(client("https://api.example.com", failing(cause))))
  )
})

describe.for(transports)("a transport that the program configured, over %s", ([, transport]) => {
  it.live("to fail on statuses still gives the typed errors", () =>
    serving({ transport: changed(transport, HttpClient.filterStatusOk) }, (service, server) =>
      Effect.gen(function* () {
        server.respondWith(reply(418, "short"))
        expect(yield* Effect.flip(service.getSmsStatus("m-1"))).toMatchObject({
          _tag: "UndocumentedStatus",
          status: 418
        })
      })
    )
  )

  it.live("to follow redirects follows them, because the program chose so", () =>
    serving({ transport: changed(transport, HttpClient.followRedirects(1)) }, (service, server) =>
      Effect.gen(function* () {
        server.respondWith((request, response) =>
          (request.url === "/sms/m-1"
            ? reply(302, "", { location: "/sms/m-2" })
            : reply(200, contract.getSmsStatus.success))(request, response)
        )
        yield* service.getSmsStatus("m-1")
        expect(server.received).toHaveLength(2)
      })
    )
  )
})
