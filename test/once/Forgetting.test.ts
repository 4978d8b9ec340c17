import { State } from "@messaging-topup/mcp-server/src/send/State.ts"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { expect, it } from "vitest"
import { passTime, resetTime } from "../harness/mcp/Clock.ts"
import { onTestFinished } from "vitest"

// What blocks a send, and for how long, is tested with every journal (test/journal).

it.each([
  ["forgets ended sends after a time, if it is told to", Duration.days(1), 0],
  ["forgets nothing, if it is not", undefined, 1]
])("the state %s", async (_, forgetAfter, left) => {
  onTestFinished(resetTime)
  const clock = TestClock.layer()
  const options = { location: { _tag: "Memory" } as const, ...(forgetAfter && { forgetAfter }) }
  const remembered = Effect.gen(function* () {
    const { use } = yield* State
    const minute = Duration.minutes(1)
    yield* use((journal) =>
      Effect.gen(function* () {
        const result = yield* journal.server.claim({
          key: "a",
          request: "a",
          caller: "ann",
          segments: 1,
          recipient: "r",
          sentCountsFor: minute,
          unknownCountsFor: minute,
          again: false,
          limits: [],
          timeoutMillis: 1000
        })
        if (result._tag !== "Claimed") return
        yield* journal.settle(result.claim, { outcome: "sent", messages: [] })
      })
    )
    passTime("26 hours")
    yield* TestClock.adjust("26 hours")
    return yield* use(({ server }) => server.count({ caller: "ann" }))
  })
  const run = Effect.provide(remembered, Layer.provideMerge(State.layer(options), clock))
  expect(await Effect.runPromise(run)).toBe(left)
})

it("says nothing of the state if a check ends after the server", async () => {
  const said: Array<unknown> = []
  const log = Logger.layer([Logger.make(({ message }) => said.push(message))])
  const state = await Effect.runPromise(
    Effect.provide(
      Effect.tap(State, ({ isReady }) => isReady),
      Layer.provideMerge(State.layer({ location: { _tag: "Memory" } }), TestClock.layer())
    )
  )
  expect(await Effect.runPromise(Effect.provide(state.isReady, log))).toBe(false)
  expect(said).toEqual([])
})
