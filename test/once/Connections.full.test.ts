import { expect, it } from "@effect/vitest"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import { contract } from "../harness/Contract.ts"
import { heapMegabytes } from "../harness/Garbage.ts"
import { serving } from "../harness/Serving.ts"
import { reply } from "../harness/ResponseServer.ts"

it.live("40,000 sequential calls leak no memory", () =>
  serving({ transport: NodeTransport.layer }, function* (service, server) {
    const { call, success } = contract.getSmsStatus
    const hundred = Effect.gen(function* () {
      // The server's record of the requests is not the client's memory.
      server.respondWith(reply(200, success))
      for (let count = 0; count < 100; count++) yield* call(service)
    })
    yield* Effect.repeat(hundred, { times: 99 })
    const before = yield* Effect.promise(heapMegabytes)
    yield* Effect.repeat(hundred, { times: 299 })
    // Less than 27 bytes per call: an entry of a set has more.
    expect((yield* Effect.promise(heapMegabytes)) - before).toBeLessThan(0.8)
  })
)
