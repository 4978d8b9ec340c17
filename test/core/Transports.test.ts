import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import { reply } from "../support/ResponseServer.ts"
import { changed, client, transports } from "../support/Clients.ts"
import { withoutRetryDelays } from "../support/TestTime.ts"
import { contract, recipient, text } from "../support/Contract.ts"
import { serving } from "../support/Serving.ts"

const systemError = (code: string, syscall: string) =>
  Object.assign(new Error("a message that nobody should read"), { code, syscall })

const coded = (code: string) => Object.assign(new Error("a message"), { code })

const looped = coded("ECONNRESET")
looped.cause = looped

/** Errors of transports, before a connection or possibly after it. */
const causes: ReadonlyArray<
  readonly [what: string, tag: string, code: string | undefined, cause: unknown]
> = [
  ["a refused connect", "ConnectionFailed", "ECONNREFUSED", systemError("ECONNREFUSED", "connect")],
  ["a failed look-up", "ConnectionFailed", "ENOTFOUND", systemError("ENOTFOUND", "getaddrinfo")],
  [
    "an unreachable host",
    "ConnectionFailed",
    "EHOSTUNREACH",
    systemError("EHOSTUNREACH", "connect")
  ],
  ["a connection time-out", "ConnectionFailed", "ETIMEDOUT", systemError("ETIMEDOUT", "connect")],
  [
    "undici's connect time-out",
    "ConnectionFailed",
    "UND_ERR_CONNECT_TIMEOUT",
    coded("UND_ERR_CONNECT_TIMEOUT")
  ],
  ["Bun's refused connect", "ConnectionFailed", "ConnectionRefused", coded("ConnectionRefused")],
  [
    "a certificate of another host",
    "ConnectionFailed",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    coded("ERR_TLS_CERT_ALTNAME_INVALID")
  ],
  [
    "a self-signed certificate",
    "ConnectionFailed",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    coded("DEPTH_ZERO_SELF_SIGNED_CERT")
  ],
  [
    "fetch failed, with such a cause",
    "ConnectionFailed",
    "ECONNREFUSED",
    new TypeError("fetch failed", { cause: systemError("ECONNREFUSED", "connect") })
  ],
  [
    "every address refused",
    "ConnectionFailed",
    undefined,
    new AggregateError([
      systemError("ECONNREFUSED", "connect"),
      systemError("ECONNREFUSED", "connect")
    ])
  ],
  [
    "one address refused, one reset",
    "ConnectionLost",
    undefined,
    new AggregateError([systemError("ECONNREFUSED", "connect"), systemError("ECONNRESET", "read")])
  ],
  ["no address tried", "ConnectionLost", undefined, new AggregateError([])],
  ["a reset", "ConnectionLost", "ECONNRESET", systemError("ECONNRESET", "read")],
  [
    "a host that became unreachable",
    "ConnectionLost",
    "EHOSTUNREACH",
    systemError("EHOSTUNREACH", "write")
  ],
  ["a broken pipe", "ConnectionLost", "EPIPE", systemError("EPIPE", "write")],
  ["a closed socket", "ConnectionLost", "UND_ERR_SOCKET", coded("UND_ERR_SOCKET")],
  [
    "a broken handshake",
    "ConnectionLost",
    "ERR_SSL_WRONG_VERSION_NUMBER",
    coded("ERR_SSL_WRONG_VERSION_NUMBER")
  ],
  [
    "a browser, which gives no reason",
    "ConnectionLost",
    undefined,
    new TypeError("Failed to fetch")
  ],
  ["a cause that refers to itself", "ConnectionLost", "ECONNRESET", looped],
  ["a code that is a sentence", "ConnectionLost", undefined, coded("call +1 555 0100123")],
  ["a string", "ConnectionLost", undefined, "broken"],
  ["nothing", "ConnectionLost", undefined, undefined]
]

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

describe("a transport that fails", () => {
  it.live.each(causes)("with %s is %s", ([, tag, code, cause]) =>
    Effect.gen(function* () {
      const service = yield* MessagingTopup
      const error = yield* Effect.flip(service.sendSms({ recipient, message: text }))
      expect(error._tag).toBe(tag)
      expect(sendOutcome(error)).toBe(tag === "ConnectionFailed" ? "not-sent" : "unknown")
      expect("code" in error ? error.code : undefined).toBe(code)
    }).pipe(Effect.provide(client("https://api.example.com", failing(cause))), withoutRetryDelays)
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
