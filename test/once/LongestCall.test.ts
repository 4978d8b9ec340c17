import { InvalidRequest, MessagingTopup } from "@messaging-topup/core"
import { type JournalError, layerMemory } from "@messaging-topup/journal"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as McpTool from "@messaging-topup/mcp-server/src/mcp/McpTool.ts"
import { InFlight } from "@messaging-topup/mcp-server/src/send/Dispatch.ts"
import { Sender } from "@messaging-topup/mcp-server/src/send/Sender.ts"
import { Journal } from "@messaging-topup/mcp-server/src/send/Journal.ts"
import { getSmsStatus } from "@messaging-topup/mcp-server/src/tools/GetSmsStatus.ts"
import { Client, InMemoryTransport } from "@modelcontextprotocol/client"
import { McpServer } from "@modelcontextprotocol/server"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import { alone, openRules, processOn } from "../harness/mcp/Guards.ts"
import { pass } from "../harness/TestTime.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

/** A process whose service takes this long to respond, and refuses one number. */
const slowProcess = (
  journal: Layer.Layer<SendJournal, JournalError>,
  response: Duration.Input,
  received: Array<string> = []
) =>
  processOn(
    journal,
    Effect.fnUntraced(function* ({ recipient }) {
      received.push(recipient)
      yield* Effect.sleep(response)
      if (recipient === refused) {
        return yield* Effect.fail(new InvalidRequest({ operation: "sendSms", error: {} }))
      }
      const data = [{ recipient, message_id: `m-${recipient}`, status: "Queued" }]
      return { success: true, data }
    })
  )

/** The service refuses this number. */
const refused = "+254700000021"

/** Begins a call of the process. */
const calling = (process: Context.Context<Sender | MessagingTopup>, requests = [sms]) =>
  Context.get(process, Sender)
    .send(alone, requests, false)
    .pipe(Effect.provide(process), Effect.result, (call) =>
      Effect.forkChild(call, { startImmediately: true })
    )

type Body = () => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, void, never>

const test = (title: string, body: Body) =>
  it.effect(title, () => Effect.provide(Effect.gen(body), Logger.layer([])))

describe("a call that sends", () => {
  test("responds within 50 seconds, goes on, and the same call returns the result", function* () {
    const process = yield* slowProcess(layerMemory, "70 seconds")
    const first = yield* calling(process)
    yield* pass(49)
    expect(first.pollUnsafe()).toBeUndefined()
    yield* pass(1)
    expect(yield* Fiber.join(first)).toMatchObject({
      success: [
        { end: { code: "in_flight", what: expect.stringMatching(/^It is unknown whether/) } }
      ]
    })
    expect(yield* Fiber.join(yield* calling(process))).toMatchObject({
      success: [{ end: { code: "in_flight_elsewhere" } }]
    })
    yield* pass(20)
    expect(yield* Fiber.join(yield* calling(process))).toMatchObject({
      success: [
        { end: { results: [{ message_id: "m-+254700000001" }], earlier: expect.any(Object) } }
      ]
    })
  })
})

describe("a call whose claim waits for the journal", () => {
  test("says after 50 seconds that its SMS may go out, and not that another call sends it", function* () {
    const waits = Layer.effect(
      SendJournal,
      Effect.map(SendJournal, (journal) => {
        const send: typeof journal.server.send = (...given) =>
          Effect.andThen(Effect.sleep("60 seconds"), journal.server.send(...given))
        return SendJournal.of({ ...journal, server: { ...journal.server, send } })
      })
    ).pipe(Layer.provide(layerMemory))
    const received = new Array<string>()
    const call = yield* calling(yield* slowProcess(waits, "1 second", received))
    yield* pass(50)
    expect(yield* Fiber.join(call)).toMatchObject({
      success: [{ end: { code: "in_flight", outcome: "unknown" } }]
    })
    expect(received).toEqual([])
    yield* pass(11)
    expect(received).toEqual([sms.recipient])
  })
})

describe("a batch that takes longer than a call may", () => {
  const requests = Array.from({ length: 24 }, (_, at) => ({
    recipient: `+2547000000${10 + at}`,
    message: "Hello"
  }))

  test("ends with its call, and the same call again sends what never started", function* () {
    const received: Array<string> = []
    const process = yield* slowProcess(layerMemory, "19 seconds", received)
    const counts: Array<unknown> = []
    for (let calls = 0; calls < 3; calls++) {
      const call = yield* calling(process, requests)
      yield* pass(49)
      expect(call.pollUnsafe() === undefined).toBe(calls < 2)
      yield* pass(1)
      const ends = yield* Effect.fromResult(yield* Fiber.join(call))
      const codes = [ends].flat().map((each) => {
        if (!("end" in each)) return expect.fail("asked")
        return each.end._tag === "Sent" ? "sent" : each.end.code
      })
      counts.push([...Map.groupBy(codes, (code) => code)].map(([code, all]) => [code, all.length]))
      // What is in flight at the end of a call goes on.
      yield* pass(20)
    }
    expect(counts).toEqual([
      [
        ["sent", 8],
        ["in_flight", 4],
        ["not_started", 12]
      ],
      [
        ["sent", 18],
        ["send_failed", 1],
        ["in_flight", 4],
        ["not_started", 1]
      ],
      [
        ["sent", 23],
        ["send_failed", 1]
      ]
    ])
    // What was refused went out again, and nothing else.
    const twice = received.filter((each, at) => received.indexOf(each) !== at)
    expect(twice).toEqual([refused, refused])
  })
})

describe("a call of an SMS that a killed process was sending", () => {
  test("responds at once that it is in flight or unknown", function* () {
    const claims = yield* Layer.build(layerMemory)
    const journal = Layer.succeedContext(claims)
    const killed = yield* slowProcess(journal, "1 hour")
    yield* calling(killed)
    const next = yield* slowProcess(journal, "1 second")
    expect(yield* Fiber.join(yield* calling(next))).toMatchObject({
      success: [
        {
          end: {
            code: "in_flight_elsewhere",
            what: expect.stringMatching(
              /^This call sent nothing: .* It is unknown whether that one/
            )
          }
        }
      ]
    })
  })
})

describe("a read", () => {
  it("responds within 50 seconds that nothing was read", async () => {
    const runtime = ManagedRuntime.make(
      Layer.mergeAll(
        Layer.mock(MessagingTopup, { getSmsStatus: () => Effect.never }),
        Layer.mock(Sender, { rules: openRules }),
        Layer.mock(Journal, { canDecide: true }),
        InFlight.layer,
        TestClock.layer()
      )
    )
    const server = new McpServer({ name: "reads", version: "1.0.0" })
    McpTool.register(server, getSmsStatus, {
      run: (effect) => runtime.runPromise(effect),
      callerOf: () => ({ caller: alone, client: undefined })
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
    for (let turns = 0; turns < 20; turns++) await setImmediate()
    await runtime.runPromise(TestClock.adjust("49 seconds"))
    expect(result).toBeUndefined()
    await runtime.runPromise(TestClock.adjust("1 second"))
    expect(await call).toMatchObject({
      isError: true,
      structuredContent: {
        code: "read_failed",
        message: "Nothing was read: the service did not respond in time, or asked to wait."
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
