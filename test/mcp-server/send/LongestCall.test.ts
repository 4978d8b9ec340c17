import { MessagingTopup, OnRequestStart } from "@messaging-topup/core"
import {
  type JournalError,
  layerMemory,
  type SendClaims,
  type SendJournal
} from "@messaging-topup/journal"
import * as McpTool from "@messaging-topup/mcp-server/src/mcp/McpTool.ts"
import type { Caller } from "@messaging-topup/mcp-server/src/send/Caller.ts"
import { Confirmation } from "@messaging-topup/mcp-server/src/send/Confirmation.ts"
import { InFlight } from "@messaging-topup/mcp-server/src/send/InFlight.ts"
import { SendBatches } from "@messaging-topup/mcp-server/src/send/SendBatches.ts"
import { SendGuard } from "@messaging-topup/mcp-server/src/send/SendGuard.ts"
import { SendMemory } from "@messaging-topup/mcp-server/src/send/SendMemory.ts"
import { getSmsStatus } from "@messaging-topup/mcp-server/src/tools/GetSmsStatus.ts"
import { Client, InMemoryTransport } from "@modelcontextprotocol/client"
import { McpServer } from "@modelcontextprotocol/server"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import { openRules } from "../support/OpenRules.ts"
import { pass } from "../../support/TestTime.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

const rulesOf = () => openRules

const duplicateWindow = Duration.minutes(10)

/** A caller that asked for progress, and keeps it. */
const callerWith = (progress: Array<unknown>): Caller => ({
  principal: "local",
  asking: undefined,
  report: (each) => Effect.sync(() => progress.push(each))
})

/** A process with the guards. Its service takes this long to respond. */
const processOn = (
  journal: Layer.Layer<SendClaims | SendJournal, JournalError>,
  response: Duration.Input
) =>
  Layer.build(
    Layer.fresh(
      Layer.merge(
        SendGuard.layer({
          rulesOf,
          duplicateWindow,
          hideRecentTexts: false,
          service: "https://a.example"
        }).pipe(
          Layer.provide(
            Confirmation.layer({
              confirmTimeout: Duration.minutes(10),
              key: () => new Uint8Array(32)
            })
          ),
          Layer.provide(InFlight.layer),
          Layer.provideMerge(
            SendMemory.layer({
              journal,
              place: "memory",
              duplicateWindow,
              unknownHold: Duration.hours(24),
              staleAfter: Duration.minutes(5)
            })
          )
        ),
        Layer.mock(MessagingTopup, {
          sendSms: () =>
            Effect.gen(function* () {
              const onStart = yield* OnRequestStart
              onStart()
              yield* Effect.sleep(response)
              return {
                success: true,
                status: 202,
                message: "Queued",
                data: [{ recipient: sms.recipient, message_id: "m-1", status: "Queued" }]
              }
            })
        })
      )
    )
  )

const again = { resendUnknown: false, sendAgain: false }

const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.runPromise(
    effect.pipe(Effect.provide(Layer.merge(TestClock.layer(), Logger.layer([]))), Effect.scoped)
  )

describe("a call that sends", () => {
  it("responds within 50 seconds, goes on, and the same call returns the result", () =>
    run(
      Effect.gen(function* () {
        const process = yield* processOn(layerMemory, "70 seconds")
        const { send } = Context.get(process, SendGuard)
        const call = () =>
          Effect.forkChild(
            Effect.result(Effect.provide(send(callerWith([]), sms, again), process)),
            {
              startImmediately: true
            }
          )
        const first = yield* call()
        yield* pass(49)
        expect(first.pollUnsafe()).toBeUndefined()
        yield* pass(1)
        expect(yield* Fiber.join(first)).toMatchObject({
          failure: { code: "in_flight", message: expect.stringMatching(/^It is unknown whether/) }
        })
        const second = yield* call()
        yield* pass(20)
        expect(yield* Fiber.join(second)).toMatchObject({
          success: { results: [{ message_id: "m-1" }], duplicate: expect.any(Object) }
        })
      })
    ))

  it("waits no longer for the same send of another call", () =>
    run(
      Effect.gen(function* () {
        const process = yield* processOn(layerMemory, "2 minutes")
        const { send } = Context.get(process, SendGuard)
        const calls = yield* Effect.forEach([1, 2], () =>
          Effect.forkChild(Effect.flip(Effect.provide(send(callerWith([]), sms, again), process)), {
            startImmediately: true
          })
        )
        yield* pass(50)
        const codes = yield* Effect.forEach(calls, Fiber.join)
        expect(codes.map(({ code }) => code)).toEqual(["in_flight", "in_flight_elsewhere"])
      })
    ))
})

describe("a call of an SMS that a killed process was sending", () => {
  it("responds within 5 seconds that it is in flight or unknown, and tells of progress", () =>
    run(
      Effect.gen(function* () {
        const claims = yield* Layer.build(layerMemory)
        const journal = Layer.succeedContext(claims)
        const killed = yield* processOn(journal, "1 hour")
        const { send } = Context.get(killed, SendGuard)
        yield* Effect.forkChild(Effect.provide(send(callerWith([]), sms, again), killed), {
          startImmediately: true
        })
        const next = yield* processOn(journal, "1 second")
        const progress: Array<unknown> = []
        const call = yield* Effect.forkChild(
          Effect.flip(
            Effect.provide(
              Context.get(next, SendGuard).send(callerWith(progress), sms, again),
              next
            )
          ),
          { startImmediately: true }
        )
        yield* TestClock.adjust("4900 millis")
        expect(call.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust("100 millis")
        const refusal = yield* Fiber.join(call)
        expect(refusal).toMatchObject({ code: "in_flight_elsewhere" })
        expect(refusal.message).toMatch(
          /^This call sent nothing: .* It is unknown whether that one/
        )
        const message = "Waiting: another call is sending the same SMS."
        expect(progress.slice(0, 4)).toEqual(
          [0, 1, 2, 3].map((seconds) => ({
            progress: seconds,
            total: 50,
            message
          }))
        )
      })
    ))
})

describe("a read", () => {
  it("responds within 50 seconds that nothing was read", async () => {
    const unused = () => Effect.die("not used")
    const runtime = ManagedRuntime.make(
      Layer.mergeAll(
        Layer.mock(MessagingTopup, { getSmsStatus: () => Effect.never }),
        Layer.mock(SendGuard, { rulesOf }),
        Layer.mock(SendBatches, {}),
        Layer.mock(SendMemory, { digest: unused }),
        TestClock.layer()
      )
    )
    const server = new McpServer({ name: "reads", version: "1.0.0" })
    McpTool.register(server, getSmsStatus, {
      run: (effect) => runtime.runPromise(effect),
      offers: () => true,
      callerOf: () => callerWith([])
    })
    const client = new Client({ name: "client", version: "1.0.0" })
    const [one, other] = InMemoryTransport.createLinkedPair()
    await Promise.all([server.connect(one), client.connect(other)])
    const call = client.callTool({ name: "get_sms_status", arguments: { message_id: "m-1" } })
    let result: unknown
    void call.then((value) => {
      result = value
    })
    // The call arrives after some turns of the event loop.
    for (let turns = 0; turns < 20; turns++) {
      await new Promise((resolve) => {
        setImmediate(resolve)
      })
    }
    await runtime.runPromise(TestClock.adjust("49 seconds"))
    expect(result).toBeUndefined()
    await runtime.runPromise(TestClock.adjust("1 second"))
    expect(await call).toMatchObject({
      isError: true,
      structuredContent: {
        code: "read_failed",
        message: "Nothing was read: the service did not respond in time."
      }
    })
    await client.close()
    await runtime.dispose()
  })
})

it("a shutdown waits at most 40 seconds for a send", () =>
  Effect.gen(function* () {
    const { shutdown, track } = yield* InFlight
    yield* Effect.forkChild(track(Effect.never), { startImmediately: true })
    // As in a finalizer.
    const stopped = yield* Effect.forkChild(Effect.uninterruptible(shutdown))
    yield* TestClock.adjust("39 seconds")
    expect(stopped.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(stopped)
  }).pipe(Effect.provide(Layer.merge(InFlight.layer, TestClock.layer())), Effect.runPromise))
