/**
 * Every failure of a send, once: what the service does, and what each level makes of it. Failures.test.ts
 * of core, and FailuresOfAll.test.ts for those who send with core, ask their own columns.
 */
import type { SendOutcome } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, type Socket } from "node:net"
import { errorBody, errorTags } from "./Contract.ts"
import { listening } from "./Listening.ts"
import {
  beginWith,
  breakOff,
  reply,
  reset,
  type Respond,
  responseServer,
  silence,
  urlWithoutServer
} from "./ResponseServer.ts"
import { silentServer } from "./SilentServer.ts"

export interface Failure {
  /** What the service does with a request whose documented success has this status. */
  readonly respond?: (success: number) => Respond
  /** In place of it: an address where no request can start, which only undici tells. */
  readonly address?: Effect.Effect<string, never, Scope.Scope>
  /** Where the exchange stops, so that only the time-out ends it. */
  readonly stalls?: "before the start" | "before the headers" | "after the headers"
  readonly tag: string
  /** The status of the response, if it has begun. */
  readonly status?: number | "success"
  readonly outcome: SendOutcome
  /** Whether the same SMS may be sent again. */
  readonly isSafeToResend?: boolean
  /** The attempts of a read that may be retried twice. */
  readonly reads: number
  /** What is stored of a row of a campaign. */
  readonly row: "sent" | "unknown" | "rejected" | "nothing"
  /** What it means for the rows that follow. */
  readonly next?: "stop" | "slowDown" | "isAboutRow"
  /** The code of the tool's refusal. Without one, it says that the SMS was sent. */
  readonly code?: string
}

const unknown = { outcome: "unknown", row: "unknown", code: "send_unknown" } as const
const accepted = { outcome: "sent", row: "sent", status: "success" } as const
const rejected = { outcome: "not-sent", row: "rejected", code: "send_failed" } as const
/** Nobody's SMS goes out at the moment, so the row stays free. */
const free = { outcome: "not-sent", row: "nothing", code: "send_failed" } as const

/** … and the same request may succeed later. */
const later = { ...free, isSafeToResend: true } as const

const lost = { tag: "ConnectionLost", reads: 3 } as const
const unreadable = { tag: "InvalidResponse", reads: 1 } as const

/** The success status, and a body that does not say whose SMS was accepted. */
const unclaimed = { ...unknown, ...unreadable, status: "success" } as const

const stalled = (stalls: Failure["stalls"] & string) =>
  ({ tag: "RequestTimedOut", reads: 3, stalls }) as const

const documented = (status: number) => ({
  tag: errorTags[status] ?? "",
  status,
  reads: 1,
  respond: () => reply(status, errorBody(status))
})

const undocumented = (
  status: number,
  reads: number,
  headers: Readonly<Record<string, string>> = {}
) => ({
  tag: "UndocumentedStatus",
  status,
  reads,
  respond: () => reply(status, "<html>", headers)
})

const unreachable = (address: Failure["address"] & object) =>
  ({ ...later, tag: "ConnectionFailed", reads: 3, next: "slowDown", address }) as const

/** The address of a server that gets the first bytes of a TLS handshake. */
const handshake = (respond: (socket: Socket) => void) =>
  Effect.gen(function* () {
    const server = createServer((socket) => socket.once("data", () => respond(socket)))
    const { port } = yield* listening(server)
    return `https://127.0.0.1:${port}`
  })

/** A TLS record: alert, version 1.2, two bytes, fatal, handshake_failure. */
const alert = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28])

const table = {
  "no server": unreachable(Effect.succeed(urlWithoutServer)),
  "no server at any address of the name": unreachable(
    Effect.succeed(urlWithoutServer.replace("127.0.0.1", "localhost"))
  ),
  "a name that does not exist": unreachable(Effect.succeed("https://no-such-name.invalid")),
  "a port that fetch blocks": unreachable(Effect.succeed("http://127.0.0.1:6000")),
  "a handshake that is refused": unreachable(handshake((socket) => socket.end(alert))),
  "a handshake that is ended": unreachable(handshake((socket) => socket.end())),
  "a handshake that is reset": unreachable(handshake((socket) => socket.resetAndDestroy())),
  "a handshake that gets an HTTP response": unreachable(
    handshake((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))
  ),
  "a handshake without a response": {
    ...later,
    ...stalled("before the start"),
    address: handshake(() => {})
  },
  "a connection that is never accepted": {
    ...later,
    ...stalled("before the start"),
    address: Effect.map(silentServer, ({ port }) => `http://127.0.0.1:${port}`)
  },
  "a reset before any response": { ...unknown, ...lost, respond: () => reset },
  "an interim response, then a reset": {
    ...unknown,
    ...lost,
    respond: () => (_, response) =>
      response.writeEarlyHints({ link: "</a>; rel=preload" }, () => response.destroy())
  },
  "no response": { ...unknown, ...stalled("before the headers"), respond: () => silence },
  "400": { ...rejected, ...documented(400), next: "isAboutRow" },
  "401": { ...free, ...documented(401), next: "stop" },
  "402": { ...free, ...documented(402), next: "stop" },
  "403": { ...free, ...documented(403), next: "stop" },
  "404": { ...rejected, ...documented(404) },
  "500": { ...unknown, ...documented(500), reads: 3 },
  "400 in HTML": {
    ...unknown,
    ...documented(400),
    ...unreadable,
    respond: () => reply(400, "<html>")
  },
  "402 in HTML": {
    ...unknown,
    ...documented(402),
    ...unreadable,
    next: "stop",
    respond: () => reply(402, "<html>")
  },
  "429": { ...later, ...undocumented(429, 3), next: "slowDown" },
  "429 with Retry-After": {
    ...later,
    ...undocumented(429, 3, { "retry-after": "0" }),
    next: "slowDown"
  },
  "429 with a Retry-After beyond a minute": {
    ...later,
    ...undocumented(429, 1, { "retry-after": "61" }),
    next: "slowDown"
  },
  "201": { ...unknown, ...undocumented(201, 1) },
  "a redirect": { ...unknown, ...undocumented(307, 1, { location: "/elsewhere" }) },
  "408": { ...unknown, ...undocumented(408, 1) },
  "418": { ...unknown, ...undocumented(418, 1) },
  "502": { ...unknown, ...undocumented(502, 3) },
  "503": { ...unknown, ...undocumented(503, 3), next: "slowDown" },
  "504": { ...unknown, ...undocumented(504, 3) },
  "an undocumented status whose body never ends": {
    ...unknown,
    ...undocumented(418, 1),
    stalls: "after the headers",
    respond: () => beginWith(418, "short and stout")
  },
  "an undocumented status with an incomplete body": {
    ...unknown,
    ...undocumented(418, 1),
    respond: () => breakOff(418, "short")
  },
  "a documented error, then half a body and a reset": {
    ...unknown,
    ...documented(400),
    ...lost,
    respond: () => breakOff(400)
  },
  "success, then nothing more": {
    ...accepted,
    ...stalled("after the headers"),
    respond: (success) => (_, response) =>
      response.writeHead(success, { "content-length": "100" }).flushHeaders()
  },
  "success, then half a body and nothing more": {
    ...accepted,
    ...stalled("after the headers"),
    respond: (success) => beginWith(success)
  },
  "success, then half a body and a reset": {
    ...accepted,
    ...lost,
    respond: (success) => breakOff(success)
  },
  "success and a body that is too large": {
    ...accepted,
    ...unreadable,
    respond: (success) => reply(success, `{"success":true,"message":"${"x".repeat(5000)}"}`)
  },
  "success and truncated JSON": {
    ...accepted,
    ...unreadable,
    respond: (success) => reply(success, '{"success":true,"sta')
  },
  "success and no body": { ...unclaimed, respond: (success) => reply(success) },
  "success and a page": { ...unclaimed, respond: (success) => reply(success, "<html>") },
  "success and a page that is too large": {
    ...unclaimed,
    respond: (success) => reply(success, `<html>${"x".repeat(5000)}`)
  },
  "success and an empty object": { ...unclaimed, respond: (success) => reply(success, {}) },
  "success, and a body that is a refusal": {
    ...unclaimed,
    respond: (success) => reply(success, errorBody(400))
  }
} satisfies Readonly<Record<string, Failure>>

/** The failures by their names. */
export const failures: ReadonlyArray<readonly [what: string, failure: Failure]> =
  Object.entries(table)

/** The maximum for bodies under which the table holds. */
export const maxBodyBytes = 4096

/** A service that fails, and how many requests it got. */
export const failingService = ({ address, respond = () => reset }: Failure, success = 202) =>
  address === undefined
    ? Effect.map(responseServer, (server) => {
        server.respondWith(respond(success))
        return { baseUrl: server.baseUrl, requests: () => server.received.length }
      })
    : Effect.map(address, (baseUrl) => ({ baseUrl, requests: () => 0 }))
