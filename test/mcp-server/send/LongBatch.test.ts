import { InvalidRequest, MessagingTopup, OnRequestStart } from "@messaging-topup/core"
import { layerMemory } from "@messaging-topup/journal"
import type { Caller } from "@messaging-topup/mcp-server/src/send/Caller.ts"
import { Confirmation } from "@messaging-topup/mcp-server/src/send/Confirmation.ts"
import { InFlight } from "@messaging-topup/mcp-server/src/send/InFlight.ts"
import { Pending } from "@messaging-topup/mcp-server/src/send/Pending.ts"
import { SendBatches } from "@messaging-topup/mcp-server/src/send/SendBatches.ts"
import { SendGuard } from "@messaging-topup/mcp-server/src/send/SendGuard.ts"
import { SendMemory } from "@messaging-topup/mcp-server/src/send/SendMemory.ts"
import * as BatchResult from "@messaging-topup/mcp-server/src/tools/BatchResult.ts"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import { openRules } from "../support/OpenRules.ts"
import { pass } from "../../support/TestTime.ts"

const caller: Caller = { principal: "local", asking: undefined, report: undefined }

const rulesOf = () => openRules

const duplicateWindow = Duration.minutes(10)

const requestTime = Duration.seconds(19)

/** Every request takes 19 seconds. The service refuses this number. */
const refused = "+254700000021"

const slowService = (sent: Array<string>) =>
  Layer.mock(MessagingTopup, {
    sendSms: ({ recipient }) =>
      Effect.gen(function* () {
        const onStart = yield* OnRequestStart
        onStart()
        sent.push(recipient)
        yield* Effect.sleep(requestTime)
        if (recipient === refused) {
          return yield* Effect.fail(new InvalidRequest({ operation: "sendSms" }))
        }
        return {
          success: true,
          status: 202,
          message: "Queued",
          data: [{ recipient, message_id: `m-${recipient}`, status: "Queued" }]
        }
      })
  })

const batches = SendBatches.layer({ rulesOf }).pipe(
  Layer.provideMerge(
    SendGuard.layer({
      rulesOf,
      duplicateWindow,
      hideRecentTexts: false,
      service: "https://a.example"
    })
  ),
  Layer.provide(
    Confirmation.layer({ confirmTimeout: Duration.minutes(10), key: () => new Uint8Array(32) })
  ),
  Layer.provide(InFlight.layer),
  Layer.provideMerge(
    SendMemory.layer({
      journal: layerMemory,
      place: "memory",
      duplicateWindow,
      unknownHold: Duration.hours(24),
      staleAfter: Duration.minutes(1)
    })
  )
)

const requestsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    recipient: `+2547000000${10 + at}`,
    message: "Hello"
  }))

/** Returns the result of the tool. */
const call = Effect.fnUntraced(function* (count: number) {
  const service = yield* SendBatches
  const run = yield* service.send(caller, requestsOf(count))
  return run instanceof Pending ? expect.fail("asked") : BatchResult.make(run, () => true)
})

/** Runs with a clock of the test, on a service that keeps the numbers that it gets. */
const scene = <A, E>(
  effect: Effect.Effect<A, E, MessagingTopup | SendBatches>,
  sent: Array<string>
): Promise<A> =>
  Effect.runPromise(
    effect.pipe(
      Effect.provide(
        Layer.mergeAll(batches, slowService(sent), TestClock.layer(), Logger.layer([]))
      ),
      Effect.scoped
    )
  )

describe("a batch that takes longer than a call may", () => {
  it("responds within 50 seconds, goes on, and the same call reports the rest", async () => {
    const sent: Array<string> = []
    const run = Effect.gen(function* () {
      const messages: Array<string> = []
      // 32 rows, 4 in flight, 19 seconds each: 152 seconds.
      for (let calls = 0; calls < 4; calls++) {
        const result = yield* Effect.forkChild(call(32), { startImmediately: true })
        yield* pass(calls === 3 ? 1 : 49)
        expect(result.pollUnsafe(), `call ${calls}`).toBeUndefined()
        yield* pass(1)
        messages.push((yield* Fiber.join(result)).message)
      }
      return messages
    })
    expect(await scene(run, sent)).toEqual([
      "So far, 8 of 32 SMS were sent; 24 have not ended.",
      "So far, 19 of 32 SMS were sent; 1 was not; 12 have not ended.",
      "So far, 27 of 32 SMS were sent; 1 was not; 4 have not ended.",
      "31 of 32 SMS were sent; 1 was not."
    ])
    expect(sent).toEqual(requestsOf(32).map(({ recipient }) => recipient))
  })

  it("is reported once after it ended, before the same call sends what was not sent", async () => {
    const sent: Array<string> = []
    const run = Effect.gen(function* () {
      const results: Array<object> = []
      for (const wait of [50, 60, 60]) {
        const result = yield* Effect.forkChild(call(12), { startImmediately: true })
        yield* pass(50)
        results.push({ ...(yield* Fiber.join(result)), requests: sent.length })
        yield* pass(wait)
      }
      return results
    })
    expect(await scene(run, sent)).toMatchObject([
      {
        next: "The batch goes on without this call. Make the same call again to hear the rest: it sends nothing twice.",
        sent: 8,
        waiting: 4,
        requests: 12
      },
      { sent: 11, not_sent: 1, causes: [{ http_status: 400, rows: "12" }], requests: 12 },
      { sent: 11, not_sent: 1, requests: 13 }
    ])
  })
})
