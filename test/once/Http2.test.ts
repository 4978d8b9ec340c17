import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Agent } from "undici"
import { certificateFor } from "../harness/Certificate.ts"
import { client, transports, type Transport } from "../harness/Clients.ts"
import { withoutRetryDelays } from "../harness/TestTime.ts"
import { contract, sendOne } from "../harness/Contract.ts"
import { type RespondTls, tlsServer, trusting } from "../harness/TlsServer.ts"

const accepted: RespondTls = (request) => request.response(202, contract.sendSms.success)

const certificate = certificateFor("127.0.0.1")

/** One send and its outcome. */
const send = (baseUrl: string, transport: Transport) =>
  Effect.flatMap(MessagingTopup, sendOne).pipe(
    Effect.match({
      onSuccess: () => ({ said: "sent" }),
      onFailure: (error) => ({ said: sendOutcome(error), error })
    }),
    Effect.provide(client(baseUrl, transport)),
    withoutRetryDelays
  )

// By default it uses HTTP/2, and resends requests that a server refuses there.
const agent = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Agent()),
      (each) => Effect.promise(() => each.destroy())
    ),
    NodeTransport.layerDispatcher
  )
)

const offered = [...transports, ["undici's own Agent", agent] as const]

describe.for(offered)("over %s, a server that offers HTTP/2 too", ([name, transport]) => {
  it.live("receives a send once, over HTTP/1.1 if the wire is ours", () =>
    Effect.gen(function* () {
      yield* trusting(certificate)
      const server = yield* tlsServer(certificate, accepted)
      expect(yield* send(server.baseUrl, transport)).toEqual({ said: "sent" })
      expect(server.received).toEqual([name === "fetch" ? expect.any(String) : "http/1.1"])
    }).pipe(Effect.scoped)
  )

  const refusals: ReadonlyArray<readonly [what: string, refuse: RespondTls]> = [
    ["refuses the stream", (request) => request.refuse()],
    [
      "sends GOAWAY and stops listening",
      (request, server) => {
        server.stopListening()
        request.goAway()
      }
    ],
    ["cuts the connection", (request) => request.cut()],
    [
      "cuts the connection and stops listening",
      (request, server) => {
        server.stopListening()
        request.cut()
      }
    ]
  ]

  it.live.each(refusals)("and %s gets no second request", ([, refuse]) =>
    Effect.gen(function* () {
      yield* trusting(certificate)
      const server = yield* tlsServer(certificate, (request, self) =>
        (self.received.length === 1 ? refuse : accepted)(request, self)
      )
      expect(yield* send(server.baseUrl, transport)).toMatchObject({
        said: "unknown",
        error: { _tag: "ConnectionLost" }
      })
      expect(server.received).toHaveLength(1)
    }).pipe(Effect.scoped)
  )
})

// A 421 says that the server did nothing (RFC 9110 §15.5.20), so the Fetch standard resends the
// request, even a POST. No platform reports this: the outcome is that of the second request.
describe.for(transports)("over %s, a server that responds with 421", ([name, transport]) => {
  const repeats = name === "fetch"
  const undocumented = { said: "unknown", error: { _tag: "UndocumentedStatus", status: 421 } }

  // AnyJson.test.ts has the number of requests.
  it.live("and stops listening may have accepted the send", () =>
    Effect.gen(function* () {
      yield* trusting(certificate)
      const server = yield* tlsServer(
        certificate,
        (request, self) => {
          self.stopListening()
          request.response(421)
        },
        ["http/1.1"]
      )
      expect(yield* send(server.baseUrl, transport)).toMatchObject(
        repeats
          ? { said: "unknown", error: { _tag: "ConnectionLost", code: "ECONNREFUSED" } }
          : undocumented
      )
      expect(server.received).toHaveLength(1)
    }).pipe(Effect.scoped)
  )
})

/** Only undici tells that a request did not start. */
const failed = (transport: string) =>
  transport === "undici"
    ? { said: "not-sent", error: { _tag: "ConnectionFailed" } }
    : { said: "unknown", error: { _tag: "ConnectionLost" } }

describe.for(transports)("over %s, nothing is sent", ([name, transport]) => {
  const other = certificateFor("other.example")

  it.live.each([
    ["an untrusted certificate", certificate, false, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["a certificate for another name", other, true, "ERR_TLS_CERT_ALTNAME_INVALID"]
  ] as const)("to a server with %s", ([, its, isTrusted, code]) =>
    Effect.gen(function* () {
      if (isTrusted) yield* trusting(its)
      const server = yield* tlsServer(its, accepted)
      expect(yield* send(server.baseUrl, transport)).toMatchObject({
        ...failed(name),
        error: { code }
      })
      expect(server.received).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("to a server that only speaks HTTP/2", () =>
    Effect.gen(function* () {
      yield* trusting(certificate)
      const server = yield* tlsServer(certificate, accepted, ["h2"])
      expect(yield* send(server.baseUrl, transport)).toMatchObject(failed(name))
      expect(server.received).toEqual([])
    }).pipe(Effect.scoped)
  )
})
