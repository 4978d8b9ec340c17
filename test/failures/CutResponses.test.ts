import { describe, expect, it } from "@effect/vitest"
import { type MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { Socket } from "node:net"
import { transports } from "../harness/Clients.ts"
import { patience, stallsOf, turn } from "../harness/TestTime.ts"
import { contract, errorBody, sendOne } from "../harness/Contract.ts"
import { isFull } from "../harness/Runs.ts"
import { servingSockets } from "../harness/Serving.ts"
import { type Framing, headLength, responseText } from "../harness/SocketServer.ts"

type Cut = "FIN" | "RST" | "stall"

interface Response {
  readonly status: number
  readonly body: object
  /** The result of the call with the whole response. */
  readonly whole: string
  readonly call: (service: MessagingTopup["Service"]) => Effect.Effect<unknown, unknown>
}

const responses: Readonly<Record<string, Response>> = {
  "an accepted send": {
    status: 202,
    body: contract.sendSms.success,
    whole: "success sent",
    call: sendOne
  },
  "a refused send": {
    status: 402,
    body: errorBody(402),
    whole: "PaymentRequired not-sent",
    call: sendOne
  },
  "a read": {
    status: 200,
    body: contract.getDataBundleStatus.success,
    whole: "success sent",
    call: (service) => service.getDataBundleStatus("d-1")
  }
}

const cuts: ReadonlyArray<Cut> = ["FIN", "RST", "stall"]
const framings: ReadonlyArray<Framing> = ["content-length", "chunked", "until closed"]

/** The expected result if the response is cut after that many bytes. */
const expectedOf = (
  { status, whole }: Response,
  response: string,
  framing: Framing,
  cut: Cut,
  position: number
): string => {
  const isHeadMissing = position < headLength(response)
  // Without a content length, closing the connection ends the body. undici accepts a reset, too.
  const isEndedByCut = framing === "until closed" && cut !== "stall" && !isHeadMissing
  if (position === response.length && (framing !== "until closed" || isEndedByCut)) return whole
  // A body without a byte that is complete accepts nobody.
  const isEmpty = isEndedByCut && position === headLength(response)
  const outcome = !isHeadMissing && !isEmpty && status === 202 ? "sent" : "unknown"
  if (isEndedByCut) return `InvalidResponse ${outcome}`
  return `${cut === "stall" ? "RequestTimedOut" : "ConnectionLost"} ${outcome}`
}

const cameTo = (exit: Exit.Exit<unknown, unknown>): string => {
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  const tag = error instanceof Error && "_tag" in error ? String(error._tag) : "success"
  return `${tag} ${Exit.isSuccess(exit) ? "sent" : sendOutcome(exit.cause)}`
}

const cutOff = (socket: Socket, cut: Cut): void => {
  if (cut === "FIN") socket.end()
  if (cut === "RST") socket.resetAndDestroy()
}

/** The quick tests cut at every eleventh byte, over the default transport alone. */
const step = isFull ? 1 : 11
const someTransports = isFull ? transports : transports.slice(0, 1)

const cases = Object.keys(responses).flatMap((what) =>
  framings
    .filter((framing) => isFull || (framing === "content-length" && what === "an accepted send"))
    .flatMap((framing) => cuts.map((cut) => [what, framing, cut] as const))
)

describe.for(someTransports)("over %s, a response that is cut", ([, transport]) => {
  it.effect.each(cases)(
    "after any byte has one defined result: %s, %s, %s",
    ([what, framing, cut]) =>
      servingSockets({ transport, timeout: patience }, function* (service, server) {
        const response = responses[what]
        if (response === undefined) return expect.fail(`no ${what}`)
        const bytes = responseText(response.status, response.body, framing)
        for (let position = 0; position <= bytes.length; position += step) {
          const expected = expectedOf(response, bytes, framing, cut, position)
          const { counted, stalled } = stallsOf("after the headers")
          const written = Promise.withResolvers<Socket>()
          server.onRequest((socket) => {
            socket.write(bytes.slice(0, position), () => written.resolve(socket))
          })
          const calling = yield* Effect.forkChild(Effect.exit(counted(response.call(service))))
          const socket = yield* Effect.promise(() => written.promise)
          while (position >= headLength(bytes) && stalled() === 0) yield* turn
          if (expected === response.whole && framing !== "until closed") yield* Fiber.join(calling)
          if (cut === "stall") yield* TestClock.adjust(patience)
          else cutOff(socket, cut)
          expect(cameTo(yield* Fiber.join(calling)), `after ${position} bytes`).toBe(expected)
          expect(server.received).toHaveLength(1)
          socket.destroy()
        }
      })
  )
})
