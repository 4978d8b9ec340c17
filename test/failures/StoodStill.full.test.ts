import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { allTransports } from "../harness/Clients.ts"
import { contract, sendOne } from "../harness/Contract.ts"
import { reply } from "../harness/ResponseServer.ts"
import { serving } from "../harness/Serving.ts"

// As after a sleep of the machine, for all transports at once: timers run before the sockets are read.
it.live("what arrived while the process stood still is read before the time-out decides", () => {
  const { success } = contract.sendSms
  const asleep = new Int32Array(new SharedArrayBuffer(4))
  const responses = new Array<() => void>()
  const each = ([, transport]: (typeof allTransports)[number]) =>
    serving({ transport, timeout: "2 seconds" }, function* (service, server) {
      server.respondWith((request, response) => {
        responses.push(() => reply(202, success)(request, response))
        if (responses.length < 5 * allTransports.length) return
        for (const respond of responses) respond()
        Atomics.wait(asleep, 0, 0, 2100)
      })
      yield* Effect.replicateEffect(sendOne(service), 5, { concurrency: "unbounded" })
      expect(server.received).toHaveLength(5)
    })
  return Effect.forEach(allTransports, each, { concurrency: "unbounded" })
})
