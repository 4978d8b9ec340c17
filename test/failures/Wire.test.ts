import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { freePort } from "../harness/Listening.ts"
import { beginWith, reply, type Respond, responseServerOn } from "../harness/ResponseServer.ts"
import { client, transports } from "../harness/Clients.ts"
import { withRandom } from "../harness/TestTime.ts"
import { contract, sendOne } from "../harness/Contract.ts"
import { serving } from "../harness/Serving.ts"

// Retries.test.ts has the retries of a read, and Connections.test.ts a reused connection that breaks.
it.effect("one call sends one request after a refused connection is accepted", () =>
  Effect.gen(function* () {
    const port = yield* freePort
    const refused = Promise.withResolvers<void>()
    const sending = yield* Effect.flatMap(MessagingTopup, sendOne).pipe(
      withRandom(() => {
        refused.resolve()
        return 0.5
      }),
      Effect.provide(client(`http://127.0.0.1:${port}`)),
      Effect.exit,
      Effect.forkChild
    )
    yield* Effect.promise(() => refused.promise)
    const server = yield* responseServerOn(port)
    server.respondWith(reply(202, contract.sendSms.success))
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(sending)).toEqual(Exit.succeed(contract.sendSms.success))
    expect(server.received).toHaveLength(1)
  })
)

// A timer of the platform would fire at once.
it.live.each(transports)("over %s, a time-out may be longer than any timer", ([, transport]) =>
  serving({ transport, timeout: 2 ** 31 }, function* (service, server) {
    const { success } = contract.sendSms
    server.respondWith((request, response) => {
      setTimeout(() => reply(202, success)(request, response), 20)
    })
    expect(yield* sendOne(service)).toEqual(success)
  })
)

// PromiseClient.test.ts has the abort of a program.
describe.for(transports)("over %s, a request is aborted", ([, transport]) => {
  it.live.each<readonly [string, Respond]>([
    ["before the headers", () => undefined],
    ["in the body", beginWith(202)]
  ])("by its time-out %s", ([, respond]) =>
    serving({ transport, timeout: "100 millis" }, function* (service, server) {
      server.respondWith(respond)
      const disconnected = server.nextDisconnect()
      expect(yield* Effect.flip(sendOne(service))).toMatchObject({ timeoutMillis: 100 })
      yield* Effect.promise(() => disconnected)
    })
  )

  it.live("whose response body is larger than allowed", () =>
    serving({ transport, maxBodyBytes: 1000 }, function* (service, server) {
      server.respondWith((_, response) => {
        response.writeHead(200, { "content-type": "application/json" })
        const more = () => {
          if (!response.destroyed) response.write("x".repeat(1000), () => setImmediate(more))
        }
        more()
      })
      const disconnected = server.nextDisconnect()
      const error = yield* Effect.flip(service.getSmsStatus("m-1"))
      const problem = "more than 1000 bytes"
      expect(error).toMatchObject({ _tag: "InvalidResponse", status: 200, problem })
      yield* Effect.promise(() => disconnected)
    })
  )
})
