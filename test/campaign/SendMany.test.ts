/**
 * `sendMany` on a journal in memory, with the sandbox and the test's clock.
 */
import { describe, expect, it } from "@effect/vitest"
import {
  JournalUnavailable,
  layerMemory,
  type Row,
  type RowCounts,
  sendMany,
  type SendManyEvent
} from "@messaging-topup/journal"
import {
  ConnectionFailed,
  MessagingTopup,
  PaymentRequired,
  RequestTimedOut,
  type SendSmsError,
  UndocumentedStatus
} from "@messaging-topup/core"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { DatabaseSync } from "node:sqlite"
import {
  counts,
  none,
  pass,
  passUntilOver,
  rowOf,
  rows,
  send,
  settled
} from "../harness/campaign/Rows.ts"
import * as Services from "../harness/journal/Service.ts"
import { journalFile } from "../harness/TemporaryFolder.ts"
import { acceptance } from "../harness/Contract.ts"
import { claim, rejected, settle } from "../harness/journal/conformance/CampaignTests.ts"

const texts = Effect.flatMap(Sandbox, (sandbox) =>
  Effect.map(sandbox.messages(), (all) => all.map(({ message }) => message))
)

const received = Effect.flatMap(Sandbox, (sandbox) =>
  Effect.map(sandbox.requests(), ({ length }) => length)
)

describe("sendMany", () => {
  it.effect("sends each row once, in any number of runs", () =>
    Effect.gen(function* () {
      // More than are looked up at once.
      expect(yield* send(rows(520))).toMatchObject({ rows: { ...none, sent: 520 }, sentNow: 520 })
      expect(yield* send(rows(540))).toMatchObject({ rows: { ...none, sent: 540 }, sentNow: 20 })
      expect(new Set(yield* texts).size).toBe(540)
      expect(yield* received).toBe(540)
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect("sends the rows of a slow stream as they come", () =>
    Effect.gen(function* () {
      const queue = yield* Queue.bounded<Row>(1)
      const running = yield* Effect.forkChild(send(Stream.fromQueue(queue)))
      for (let index = 0; index < 3; index++) {
        yield* Queue.offer(queue, rowOf(index))
        yield* pass(0.2)
        expect(yield* counts).toMatchObject({ sent: index + 1, "in-flight": 0 })
      }
      yield* Fiber.interrupt(running)
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect("settles requests that end one after the other in one write", () =>
    Effect.gen(function* () {
      const { events } = yield* send(rows(63), { concurrency: 32 })
      expect(events.map((event) => event._tag === "Settled" && event.sent)).toEqual([
        1, 2, 8, 32, 20
      ])
    }).pipe(
      Effect.provide([
        layerMemory,
        // One more of them ends in each turn. Each that is accepted doubles how many may be in flight.
        responding((index) =>
          Effect.as(Effect.repeat(Effect.yieldNow, { times: index }), acceptance)
        )
      ])
    )
  )

  it.effect("does not send a changed row, a sent row of sendOnce, or a key of a wrong length", () =>
    Effect.gen(function* () {
      yield* send(rows(2))
      const { sendOnce } = yield* SendJournal
      yield* sendOnce({ campaign: "c", key: "k5" }, rowOf(5).request)
      const changed = { ...rowOf(1), request: { ...rowOf(1).request, message: "Other" } }
      const { events, rows: found } = yield* send(Stream.make(rowOf(0), changed, rowOf(5)))
      expect(found).toEqual({ ...none, sent: 2, changed: 1 })
      expect(events).toContainEqual({ _tag: "Changed", key: "k1", state: "sent" })
      for (const key of ["", "x".repeat(513), "a\0b", "\ud800"]) {
        const error = yield* Effect.flip(send(Stream.make(rowOf(0), { ...rowOf(9), key })))
        expect(error).toMatchObject({
          _tag: "InvalidInput",
          field: "rows[1].key",
          problem: expect.stringContaining("Rows before it may have been sent")
        })
      }
      expect(yield* received).toBe(3)
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect(
    "leaves every row as each response of the service says, and what core refuses as rejected",
    () =>
      Effect.gen(function* () {
        const ends = ["7", "0400", "0404", "0500", "0900", "0902", "0502"]
        const misspelt = { ...rowOf(7), request: { ...rowOf(7).request, mesage: "Hello" } }
        const mixed = Stream.make(...ends.map((end, index) => rowOf(index, end)), misspelt)
        const { events, rows: found } = yield* send(mixed, { concurrency: 1 })
        expect(found).toEqual({ ...none, sent: 2, rejected: 3, unknown: 3 })
        const nothingSettled = { _tag: "Settled", sent: 0, rejected: 0, unknown: 0, notSent: 0 }
        const settledAs = [
          "sent",
          "rejected",
          "rejected",
          "unknown",
          "unknown",
          "sent",
          "unknown",
          "rejected"
        ]
        expect(events).toEqual(settledAs.map((state) => ({ ...nothingSettled, [state]: 1 })))
        const { campaigns } = yield* SendJournal
        const keys = [...ends.keys(), 7].map((index) => `c/${rowOf(index).key}`)
        const standings = yield* campaigns.look(keys.map((key) => ({ key, digest: "" })))
        expect(standings.map((each) => `${each.state} ${each.send?.reason ?? ""}`.trim())).toEqual([
          "sent",
          "rejected InvalidRequest 400",
          "rejected NotFound 404",
          "unknown InternalServerError 500",
          "unknown ConnectionLost",
          "sent",
          "unknown UndocumentedStatus 502",
          "rejected InvalidInput mesage"
        ])
      }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect("fails with the error of the rows, after the requests in flight", () =>
    Effect.gen(function* () {
      const some = Stream.concat(rows(600), Stream.fail("the file is gone"))
      expect(yield* Effect.flip(send(some))).toBe("the file is gone")
      const { "in-flight": inFlight, sent } = yield* counts
      expect(inFlight).toBe(0)
      expect(sent).toBe(yield* received)
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect("stores of a key that could be a phone number only a digest, and knows it again", () =>
    Effect.gen(function* () {
      const keys = ["+15551234567", "0803 123 4567", "order-15551234567", "123456"]
      const some = keys.map((key, index) => ({ ...rowOf(index), key }))
      yield* send(Stream.fromIterable(some))
      expect((yield* send(Stream.fromIterable(some))).sentNow).toBe(0)
      const { campaigns, identify } = yield* SendJournal
      const known = some.map(({ key, request }) => identify({ campaign: "c", key }, request))
      const stored = new Set((yield* campaigns.look(known)).map((each) => each.send?.key ?? ""))
      expect(keys.filter((key) => stored.has(key))).toEqual(["order-15551234567", "123456"])
      const other = some.map((row, index) => ({ ...row, request: rowOf(index + 9).request }))
      const { events } = yield* send(Stream.fromIterable(other))
      expect(
        events.map((event) => (event._tag === "Changed" ? stored.has(event.key) : event))
      ).toEqual([true, true, true, true])
    }).pipe(Effect.provide(Services.inMemory))
  )
})

describe("a run stops", () => {
  // FailuresOfAll.test.ts has every such response.
  it.effect("after a response that every further row would meet too", () =>
    Effect.gen(function* () {
      const some = Stream.concat(
        Stream.make(rowOf(0), rowOf(1, "0402")),
        Stream.map(Stream.range(2, 99), (index) => rowOf(index))
      )
      const { rows: found, stop } = yield* send(some, { concurrency: 2 })
      expect(stop).toMatchObject({ reason: "PaymentRequired" })
      expect(found.sent).toBeLessThan(5)
      expect(found).toEqual({ ...none, sent: found.sent, notSent: 100 - found.sent })
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect("while rows are looked up, which it counts", () =>
    Effect.gen(function* () {
      const journal = yield* SendJournal
      const isLooking = yield* Deferred.make<void>()
      let looks = 0
      const look: typeof journal.campaigns.look = (keys) =>
        ++looks === 1
          ? journal.campaigns.look(keys)
          : Effect.andThen(Deferred.succeed(isLooking, undefined), Effect.never)
      const refused = new PaymentRequired({ operation: "sendSms" })
      const { rows: found } = yield* send(rows(600), { concurrency: 1 }).pipe(
        Effect.provideService(SendJournal, {
          ...journal,
          campaigns: { ...journal.campaigns, look }
        }),
        Effect.provide(
          responding(() => Effect.andThen(Deferred.await(isLooking), Effect.fail(refused)))
        )
      )
      expect(found).toEqual({ ...none, notSent: 600 })
    }).pipe(Effect.provide(layerMemory))
  )

  const times = (count: number, end: string) => Array.from({ length: count }, () => end)

  /** Lists by what their numbers force, with the sums of their rows, and why the run stopped. */
  const lists: Readonly<
    Record<string, readonly [ReadonlyArray<string>, Partial<RowCounts>, stop?: object]>
  > = {
    "after 100 failures in a row": [
      ["7", ...times(200, "0500")],
      { sent: 1, unknown: 100, notSent: 100 },
      { reason: "FailuresInARow", failure: "InternalServerError 500" }
    ],
    "if five alike failures are unknown, and these rows stay unknown": [
      times(100, "0500"),
      { unknown: 5, notSent: 95 },
      { reason: "FirstFailed", failure: "InternalServerError 500" }
    ],
    "after five 202 in a row that accepted nobody, also after a success": [
      ["7", "0904", "0904", "7", ...times(20, "0904")],
      { sent: 2, unknown: 7, notSent: 15 },
      { reason: "AcceptedNobody", failure: "InvalidResponse 202" }
    ],
    "but not after wrong numbers, which are rejected, wherever they stand": [
      [...times(20, "0400"), "7"],
      { sent: 1, rejected: 20 }
    ],
    "but not after failures of different kinds": [
      [...times(5, "").flatMap(() => ["0400", "0404"]), "7"],
      { sent: 1, rejected: 10 }
    ],
    "but not if an SMS is accepted between the failures": [
      ["7", ...times(59, "0400"), "7", ...times(60, "0400")],
      { sent: 2, rejected: 119 }
    ]
  }

  it.effect.each(Object.entries(lists))("%s", ([, [ends, found, stop]]) =>
    Effect.gen(function* () {
      const list = Stream.fromIterable(ends.map((end, index) => rowOf(index, end)))
      const result = yield* send(list, { concurrency: 1 })
      expect(result.stop).toEqual(stop)
      expect(result.rows).toEqual({ ...none, ...found })
      expect(yield* texts).toHaveLength(found.sent ?? 0)
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect("after five alike failures before any success, and rejects no row", () =>
    Effect.gen(function* () {
      const wrong = Stream.map(Stream.range(0, 99), (index) => rowOf(index, "0404"))
      const { rows: found, stop } = yield* send(wrong)
      expect(stop).toEqual({ reason: "FirstFailed", failure: "NotFound 404" })
      expect(found).toEqual({ ...none, notSent: 100 })
      expect(yield* received).toBe(5)
      // A person has looked: the rows themselves are wrong, or the setting is right now.
      const corrected = yield* send(Stream.concat(Stream.make(rowOf(900)), rows(50)))
      expect(corrected.rows).toEqual({ ...none, sent: 51 })
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect("but not for rows that were rejected before, and are tried again only if asked", () =>
    Effect.gen(function* () {
      const wrong = Stream.map(Stream.range(0, 9), (index) => rowOf(index, "0404"))
      const all = Stream.concat(Stream.make(rowOf(900)), wrong)
      const result = { ...none, sent: 1, rejected: 10 }
      expect((yield* send(all)).rows).toEqual(result)
      expect((yield* send(all)).rows).toEqual(result)
      expect(yield* received).toBe(11)
      const retried = yield* send(all, { retryRejected: true })
      expect(retried.stop).toBeUndefined()
      expect(retried.rows).toEqual(result)
      expect(yield* received).toBe(21)
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect("after five minutes without a connection", () => {
    const refused = new ConnectionFailed({ operation: "sendSms" })
    return Effect.gen(function* () {
      const running = yield* Effect.forkChild(send(rows(5)))
      yield* pass(290)
      expect(running.pollUnsafe()).toBeUndefined()
      yield* pass(20)
      const { events, rows: found, stop } = yield* Fiber.join(running)
      expect(stop).toMatchObject({ reason: "NoConnection" })
      expect(events.find(({ _tag }) => _tag === "Waiting")).toMatchObject({ why: "no-connection" })
      expect(found).toEqual({ ...none, notSent: 5 })
    }).pipe(
      Effect.provide([
        layerMemory,
        Layer.mock(MessagingTopup, {
          sendSms: () => Effect.fail(refused),
          timeoutMillis: 30_000
        })
      ])
    )
  })
})

/** A service that responds by the number of the request. The first one is 0. */
const responding = (respond: (index: number) => Effect.Effect<typeof acceptance, SendSmsError>) => {
  let requests = 0
  return Layer.mock(MessagingTopup, {
    sendSms: () => Effect.suspend(() => respond(requests++)),
    timeoutMillis: 60_000
  })
}

const acceptedAfter = (duration: Duration.Input) =>
  Effect.delay(Effect.succeed(acceptance), duration)

/** A service that accepts the requests with these numbers, from 0, and fails all others in the same way. */
const acceptingOnly = (accepted: ReadonlyArray<number>, error: SendSmsError) => {
  let requests = 0
  const sendSms = () =>
    Effect.suspend(() =>
      accepted.includes(requests++) ? Effect.succeed(acceptance) : Effect.fail(error)
    )
  return {
    layer: Layer.merge(layerMemory, Layer.mock(MessagingTopup, { sendSms, timeoutMillis: 30_000 })),
    requests: () => requests
  }
}

it.effect("a run goes on if an SMS went out in the minutes without a connection", () => {
  const refused = new ConnectionFailed({ operation: "sendSms" })
  // The pauses before the tenth request add up to four minutes, those before the next to three.
  const { layer } = acceptingOnly([9, 18], refused)
  return Effect.gen(function* () {
    const { rows: found, stop } = yield* passUntilOver(yield* Effect.forkChild(send(rows(2))))
    expect(stop).toBeUndefined()
    expect(found).toEqual({ ...none, sent: 2 })
  }).pipe(Effect.provide(layer))
})

const never = { operation: "sendSms", timeoutMillis: 30_000, started: false } as const

it.effect("a row whose request never starts is tried five times, and left", () => {
  const { layer, requests } = acceptingOnly([0], new RequestTimedOut(never))
  return Effect.gen(function* () {
    const { rows: found } = yield* send(rows(2))
    expect(found).toEqual({ ...none, sent: 1, notSent: 1 })
    expect(requests()).toBe(6)
  }).pipe(Effect.provide(layer))
})

it.effect("a run stops if the program's own service returns no responses", () =>
  Effect.gen(function* () {
    const { rows: found, stop } = yield* send(rows(100))
    expect(stop).toEqual({ reason: "FirstFailed", failure: "Interrupted" })
    expect(found).toEqual({ ...none, unknown: 5, notSent: 95 })
  }).pipe(
    Effect.provide([
      layerMemory,
      // @ts-expect-error -- no response
      Layer.mock(MessagingTopup, { sendSms: () => Effect.succeed({}), timeoutMillis: 30_000 })
    ])
  )
)

it.effect("a run reads rows as it needs them", () =>
  Effect.gen(function* () {
    let read = 0
    const counted = Stream.tap(rows(5000), () => Effect.sync(() => read++))
    const running = yield* Effect.forkChild(send(counted, { messagesPerSecond: 1 }))
    yield* pass(3)
    expect(read).toBeLessThan(2000)
    yield* Fiber.interrupt(running)
  }).pipe(Effect.provide(Services.inMemory))
)

it.effect("a run that waits for its rate ends when its campaign is pruned", () =>
  Effect.gen(function* () {
    const { prune } = yield* SendJournal
    const running = yield* Effect.forkChild(Effect.exit(send(rows(100), { messagesPerSecond: 1 })))
    yield* pass(5)
    expect(yield* prune({ campaign: "c", unknown: true })).toBeGreaterThan(0)
    const before = yield* received
    const exit = yield* passUntilOver(running)
    expect(yield* Effect.flip(exit)).toMatchObject({ _tag: "CampaignPruned", campaign: "c" })
    expect(yield* received).toBeLessThanOrEqual(before + 1)
  }).pipe(Effect.provide(Services.inMemory))
)

describe("while the service is busy", () => {
  it.effect("a run waits, however often the service responds 429", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      yield* sandbox.setFault({ fault: "Response", status: 429, body: "", times: 10 })
      const running = yield* Effect.forkChild(send(rows(5), { concurrency: 1 }))
      while (running.pollUnsafe() === undefined) {
        yield* TestClock.adjust("1 minute")
        yield* settled
      }
      expect((yield* Fiber.join(running)).rows).toEqual({ ...none, sent: 5 })
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect("a run waits after 503, too, and stops after the first five: these are unknown", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      yield* sandbox.setFault({ fault: "Response", status: 503, times: 10 })
      const running = yield* Effect.forkChild(send(rows(12)))
      const { events, rows: found, stop } = yield* passUntilOver(running)
      expect(stop).toEqual({ reason: "FirstFailed", failure: "UndocumentedStatus 503" })
      expect(found).toEqual({ ...none, unknown: 5, notSent: 7 })
      const pauses = events.flatMap((event) => (event._tag === "Waiting" ? [event.until] : []))
      expect(pauses.slice(0, 4).map((until) => Math.floor(until / 1000))).toEqual([1, 3, 7, 15])
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect("a run waits as long as Retry-After says, then starts slowly", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const headers = { "retry-after": "30" }
      yield* sandbox.setFault({ fault: "Response", status: 429, headers, times: 1 })
      const running = yield* Effect.forkChild(send(rows(100), { concurrency: 5 }))
      yield* sandbox.until(({ requests }) => requests.length >= 1)
      yield* TestClock.adjust("29 seconds")
      expect(yield* received).toBe(1)
      yield* TestClock.adjust("2 seconds")
      const { events, rows: found } = yield* Fiber.join(running)
      expect(events.filter(({ _tag }) => _tag === "Waiting")).toEqual([
        { _tag: "Waiting", why: "slow-down", until: 30_000 }
      ])
      expect(found).toEqual({ ...none, sent: 100 })
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect(
    "pauses double until an SMS is accepted, and after each one request shows the way",
    () => {
      const starts = new Array<number>()
      /** Eight requests in flight, the only one after their pause, and the first of two after that. */
      const busyAt = new Set([3, 4, 5, 6, 7, 8, 9, 10, 11, 13])
      const sendSms = Effect.fnUntraced(function* () {
        const index = starts.push(yield* Clock.currentTimeMillis) - 1
        const busy = { operation: "sendSms", status: 429, body: "" } as const
        if (busyAt.has(index)) return yield* Effect.fail(new UndocumentedStatus(busy))
        return acceptance
      })
      return Effect.gen(function* () {
        const running = yield* Effect.forkChild(send(rows(20)))
        const { events, rows: found } = yield* passUntilOver(running)
        expect(found).toEqual({ ...none, sent: 20 })
        const seconds = starts.map((at) => Math.floor((at - (starts[3] ?? 0)) / 1000))
        expect(seconds.slice(3, 16)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 3, 3, 4])
        expect(events.filter(({ _tag }) => _tag === "Waiting")).toHaveLength(3)
      }).pipe(
        Effect.provide([
          layerMemory,
          Layer.mock(MessagingTopup, { sendSms, timeoutMillis: 30_000 })
        ])
      )
    }
  )
})

/** A clock that goes on between two looks at it, and whose timers end up to a millisecond early, as those of Node can. */
const clockThatGoesOn = (microsPerLook: number, earlyMicros: number): Clock.Clock => {
  let micros = 0
  const nanos = () => BigInt((micros += microsPerLook)) * 1000n
  const millis = () => Number(nanos()) / 1_000_000
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        const timer = setImmediate(() => {
          micros += Math.max(0, Math.ceil(Duration.toMillis(duration) * 1000) - earlyMicros)
          resume(Effect.void)
        })
        return Effect.sync(() => clearImmediate(timer))
      })
  }
}

it.live.each([1, 7, 50, 100, 300, 700])(
  "a run goes on after a pause that ends between two looks at the clock, %d µs apart",
  (microsPerLook) =>
    Effect.gen(function* () {
      for (let early = 0; early <= 1000; early += 50) {
        let requests = 0
        const sendSms = () => {
          const busy = { operation: "sendSms", status: 429, body: "" } as const
          return requests++ === 0
            ? Effect.fail(new UndocumentedStatus(busy))
            : Effect.succeed(acceptance)
        }
        const service = Layer.mock(MessagingTopup, { sendSms, timeoutMillis: 30_000 })
        const running = Effect.provide(send(Stream.make(rowOf(early))), service)
        const clock = clockThatGoesOn(microsPerLook, early)
        const { rows: found } = yield* Effect.provideService(running, Clock.Clock, clock)
        expect(found).toEqual({ ...none, sent: 1 })
      }
    }).pipe(Effect.provide(layerMemory))
)

it.effect("no request starts in quiet hours that begin while its row is claimed", () =>
  Effect.gen(function* () {
    const file = yield* journalFile
    const quietHours = { from: "21:00", to: "08:00", timeZone: "UTC" }
    yield* TestClock.setTime(Date.parse("2026-01-10T20:59:55Z"))
    yield* Effect.gen(function* () {
      const slowly = { messagesPerSecond: 0.5, quietHours }
      const running = yield* Effect.forkChild(send(rows(2), slowly))
      const { until } = yield* Sandbox
      yield* until(({ requests }) => requests.length === 1)
      yield* pass(1)
      const other = new DatabaseSync(file)
      yield* Effect.addFinalizer(() => Effect.sync(() => other.close()))
      other.exec("begin immediate")
      yield* pass(5)
      other.exec("rollback")
      yield* pass(2)
      expect(yield* received).toBe(1)
      yield* TestClock.adjust("11 hours")
      yield* passUntilOver(running)
      expect(yield* received).toBe(2)
    }).pipe(Effect.provide(Sqlite.layer(file)))
  }).pipe(Effect.provide(Services.service))
)

/** The clock of the test. Its wall clock can be set; timers do not change. */
const settableClock = Effect.map(Clock.Clock, (clock) => {
  let offset = 0
  const millis = () => clock.currentTimeMillisUnsafe() + offset
  const settable: Clock.Clock = {
    ...clock,
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis)
  }
  return { clock: settable, set: (hours: number) => (offset = hours * 3_600_000) }
})

/** A service that is busy at the second request, and responds to the third one while the others wait. */
const busyAtSecond = () => {
  let requests = 0
  const sendSms = Effect.fnUntraced(function* () {
    const index = requests++
    const busy = { operation: "sendSms", status: 429, body: "", retryAfterSeconds: 30 } as const
    if (index === 1) return yield* Effect.fail(new UndocumentedStatus(busy))
    if (index === 2) yield* Effect.sleep("20 seconds")
    return acceptance
  })
  return {
    layer: Layer.mock(MessagingTopup, { sendSms, timeoutMillis: 30_000 }),
    requests: () => requests
  }
}

it.effect.each([48, -48])(
  "a pause is as long as the service asks for, though the wall clock is set by %d hours",
  (hours) =>
    Effect.gen(function* () {
      const { layer, requests } = busyAtSecond()
      const { clock, set } = yield* settableClock
      const waiting = yield* Deferred.make<number>()
      yield* TestClock.setTime(Date.parse("2026-01-10T12:00:00Z"))
      const onEvent = (event: SendManyEvent) =>
        event._tag === "Waiting"
          ? Effect.asVoid(Deferred.succeed(waiting, event.until))
          : Effect.void
      const fiber = yield* sendMany(rows(5), { campaign: "c", onEvent }).pipe(
        Effect.provide(layer),
        Effect.provideService(Clock.Clock, clock),
        Effect.forkChild
      )
      expect(yield* Deferred.await(waiting)).toBe(Date.parse("2026-01-10T12:00:30Z"))
      yield* settled
      set(hours)
      yield* TestClock.adjust("29 seconds")
      expect(requests()).toBe(3)
      yield* TestClock.adjust("1 second")
      expect((yield* Fiber.join(fiber)).sentNow).toBe(5)
      expect(requests()).toBe(6)
    }).pipe(Effect.provide(layerMemory))
)

describe("a rate", () => {
  it.effect.each([
    [1, 10],
    [20, 5],
    [100, 2]
  ] as const)("of %d per second holds within 2 % over %d seconds", ([rate, seconds]) =>
    Effect.gen(function* () {
      const running = yield* Effect.forkChild(send(rows(600), { messagesPerSecond: rate }))
      for (let step = 0; step < seconds * 100; step++) {
        yield* settled
        yield* TestClock.adjust("10 millis")
      }
      yield* settled
      const expected = rate * seconds
      expect(Math.abs((yield* received) - expected)).toBeLessThanOrEqual(
        Math.max(1, expected * 0.02)
      )
      yield* Fiber.interrupt(running)
    }).pipe(Effect.provide(Services.inMemory))
  )
})

describe("quiet hours", () => {
  const quietHours = { from: "21:00", to: "08:00", timeZone: "Europe/Paris" }

  // QuietHours.test.ts has the changes of clocks.
  it.effect("end by local time", () =>
    Effect.gen(function* () {
      const end = "2026-07-11T06:00:00Z"
      yield* TestClock.setTime(Date.parse("2026-07-10T22:00:00Z"))
      const running = yield* Effect.forkChild(send(rows(3), { quietHours }))
      yield* pass(1)
      yield* TestClock.setTime(Date.parse(end) - 1)
      yield* settled
      expect(yield* texts).toEqual([])
      yield* TestClock.adjust(1)
      const { events } = yield* passUntilOver(running)
      expect(events.filter(({ _tag }) => _tag === "Waiting" || _tag === "GoesOn")).toEqual([
        { _tag: "Waiting", why: "quiet-hours", until: Date.parse(end) },
        { _tag: "GoesOn" }
      ])
      expect(yield* texts).toHaveLength(3)
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect.each([false, true])(
    "that are over are an event before the next claim, which ends the run if it throws: %s",
    (isThrown) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-07-10T18:59:58Z"))
        const tags = new Array<SendManyEvent["_tag"]>()
        const onEvent = ({ _tag }: SendManyEvent) =>
          Effect.suspend(() => {
            tags.push(_tag)
            return _tag === "GoesOn" && isThrown ? Effect.die("it changed") : Effect.void
          })
        const options = { quietHours, messagesPerSecond: 1, onEvent }
        const running = yield* Effect.forkChild(Effect.exit(send(rows(6), options)))
        yield* pass(5)
        const evening = yield* received
        expect(evening).toBeLessThan(4)
        expect(tags.at(-1)).toBe("Waiting")
        yield* TestClock.setTime(Date.parse("2026-07-11T06:00:00Z"))
        const exit = yield* passUntilOver(running)
        expect(tags.slice(evening, evening + 2)).toEqual(["Waiting", "GoesOn"])
        expect(tags.filter((tag) => tag === "GoesOn")).toHaveLength(1)
        expect(Exit.isFailure(exit)).toBe(isThrown)
        expect(yield* received).toBe(isThrown ? evening : 6)
        expect(yield* counts).toMatchObject({ sent: isThrown ? evening : 6, "in-flight": 0 })
      }).pipe(Effect.provide(Services.inMemory))
  )
})

describe("quiet hours are told", () => {
  const quietHours = { from: "21:00", to: "08:00", timeZone: "UTC" }

  it.effect("once no request is in flight", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-07-10T20:59:58Z"))
      const tags = new Array<SendManyEvent["_tag"]>()
      const onEvent = ({ _tag }: SendManyEvent) => Effect.sync(() => tags.push(_tag))
      const running = yield* Effect.forkChild(send(rows(4), { quietHours, onEvent }))
      yield* pass(30)
      expect(tags).toEqual(["Settled", "Settled", "Settled", "Waiting"])
      yield* Fiber.interrupt(running)
    }).pipe(Effect.provide([layerMemory, responding((index) => acceptedAfter(index * 10_000))]))
  )

  it.effect("not if only another process has a row to send", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-07-10T22:00:00Z"))
      yield* claimElsewhere(rowOf(0))
      const { events, rows: found } = yield* passUntilOver(
        yield* Effect.forkChild(send(rows(1), { quietHours }))
      )
      expect(events).toEqual([{ _tag: "WaitingForOthers", rows: 1 }])
      expect(found).toEqual({ ...none, inFlight: 1 })
    }).pipe(Effect.provide(Services.inMemory))
  )
})

describe("an event that a program cannot take", () => {
  const thrown = new Error("of the program")

  const failsAt = (tag: SendManyEvent["_tag"], count: number) => {
    let left = count
    return ({ _tag }: SendManyEvent) =>
      _tag === tag && --left === 0 ? Effect.die(thrown) : Effect.void
  }

  it.effect.each([1, 2, 3, 4])(
    "ends the run with what was thrown, and no row stays claimed that was not sent: settlement %d",
    (count) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(send(rows(100), { onEvent: failsAt("Settled", count) }))
        expect(exit).toEqual(Exit.die(thrown))
        const { "in-flight": inFlight, sent, unknown } = yield* counts
        expect({ inFlight, unknown, sent }).toEqual({
          inFlight: 0,
          unknown: 0,
          sent: yield* received
        })
        expect(sent).toBeLessThan(100)
        expect((yield* send(rows(100))).rows).toEqual({ ...none, sent: 100 })
        expect(yield* received).toBe(100)
      }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect("ends the run in the same way if a program without types returns no Effect", () =>
    Effect.gen(function* () {
      const onEvent = (() => {}) as never
      const exit = yield* Effect.exit(send(rows(3), { onEvent }))
      expect(exit).toEqual(Exit.die(new TypeError("onEvent must return an Effect")))
      expect(yield* counts).toMatchObject({ sent: yield* received, "in-flight": 0 })
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect("ends a run that only waits", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-01-10T20:59:58Z"))
      const quietHours = { from: "21:00", to: "08:00", timeZone: "UTC" }
      const onEvent = failsAt("Waiting", 1)
      const options = { quietHours, messagesPerSecond: 1, onEvent }
      const running = yield* Effect.forkChild(send(rows(9), options))
      yield* pass(5)
      expect(running.pollUnsafe()).toEqual(Exit.die(thrown))
      expect(yield* counts).toMatchObject({ sent: yield* received, "in-flight": 0 })
    }).pipe(Effect.provide(Services.inMemory))
  )
})

/** Claims a row as another process does. */
const claimElsewhere = Effect.fnUntraced(function* ({ key, request: sms }: Row) {
  const { campaigns, identify } = yield* SendJournal
  yield* campaigns.begin("c")
  const { digest } = identify({ campaign: "c", key }, sms)
  return yield* claim([{ key, attempt: 0, request: digest, recipient: sms.recipient }])
})

describe("a row that another process has in flight", () => {
  it.effect("is not tried once more if that process rejects it", () =>
    Effect.gen(function* () {
      const claims = yield* claimElsewhere(rowOf(1))
      const running = yield* Effect.forkChild(send(rows(2), { retryRejected: true }))
      yield* pass(1)
      yield* settle(claims, rejected)
      const { events, rows: found } = yield* passUntilOver(running)
      expect(events).toContainEqual(expect.objectContaining({ _tag: "WaitingForOthers", rows: 1 }))
      expect(found).toEqual({ ...none, sent: 1, rejected: 1 })
      expect(yield* received).toBe(1)
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect("is not waited for if that process settled it since the last look", () =>
    Effect.gen(function* () {
      const claims = yield* claimElsewhere(rowOf(1))
      const journal = yield* SendJournal
      let looks = 0
      const look: typeof journal.campaigns.look = (keys) =>
        Effect.suspend(() => {
          const isLast = ++looks === 3
          const before = isLast ? Effect.orDie(settle(claims, rejected)) : Effect.void
          return Effect.andThen(before, journal.campaigns.look(keys))
        }).pipe(Effect.provideService(SendJournal, journal))
      const { events, rows: found } = yield* passUntilOver(
        yield* Effect.forkChild(
          Effect.provideService(send(rows(2)), SendJournal, {
            ...journal,
            campaigns: { ...journal.campaigns, look }
          })
        )
      )
      expect(found).toEqual({ ...none, sent: 1, rejected: 1 })
      expect(events.map(({ _tag }) => _tag)).toEqual(["Settled"])
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect("is waited for as long as that process settles others", () =>
    Effect.gen(function* () {
      const claims = yield* Effect.forEach([1, 2, 3], (index) => claimElsewhere(rowOf(index)))
      const running = yield* Effect.forkChild(send(rows(4)))
      for (const each of claims) {
        yield* pass(2)
        yield* settle(each, { state: "sent", messages: [] })
      }
      expect((yield* passUntilOver(running)).rows).toEqual({ ...none, sent: 4 })
      expect(yield* received).toBe(1)
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect.each([
    ["a request of the run itself is in flight", "20 seconds", {}],
    ["a row of the run itself waits", 0, { messagesPerSecond: 0.05 }]
  ] as const)("is waited for as long as %s", ([, duration, options]) =>
    Effect.gen(function* () {
      const claims = yield* claimElsewhere(rowOf(1))
      const running = yield* Effect.forkChild(send(rows(3), options))
      yield* pass(15)
      yield* settle(claims, { state: "sent", messages: [] })
      expect((yield* passUntilOver(running)).rows).toEqual({ ...none, sent: 3 })
    }).pipe(Effect.provide([layerMemory, responding(() => acceptedAfter(duration))]))
  )

  it.effect("is counted once, as every row is, when a run stops", () =>
    Effect.gen(function* () {
      yield* claimElsewhere(rowOf(1))
      const some = Stream.map(Stream.range(0, 1023), (index) =>
        rowOf(index, index === 512 ? "0401" : "7")
      )
      const { rows: found, stop } = yield* send(Stream.concat(some, Stream.never))
      expect(stop).toMatchObject({ reason: "AuthenticationFailed" })
      expect(Object.values(found).reduce((sum, count) => sum + count, 0)).toBe(1024)
      expect(found.inFlight).toBe(1)
    }).pipe(Effect.provide(Services.inMemory))
  )
})

describe("after the deadline of its claim", () => {
  const wait = Effect.sleep("11 seconds")

  /** Effects of which only the first one waits. */
  const firstWaits = () => {
    let isFirst = true
    return Effect.suspend(() => {
      const waits = isFirst
      isFirst = false
      return waits ? wait : Effect.void
    })
  }

  it.effect("a request does not start, though it was about to: the row is claimed again", () =>
    Effect.gen(function* () {
      const service = yield* MessagingTopup
      const late = firstWaits()
      const running = yield* Effect.forkChild(
        Effect.provideService(send(rows(1)), MessagingTopup, {
          ...service,
          sendSms: (request) => Effect.andThen(late, service.sendSms(request))
        })
      )
      const { events, rows: found } = yield* passUntilOver(running)
      expect(events).toContainEqual(expect.objectContaining({ _tag: "Settled", notSent: 1 }))
      expect(found).toEqual({ ...none, sent: 1 })
      expect(yield* received).toBe(1)
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect("a service that never asks is not called", () =>
    Effect.gen(function* () {
      const service = yield* MessagingTopup
      const journal = yield* SendJournal
      const late = firstWaits()
      let called = 0
      const own = MessagingTopup.of({
        ...service,
        sendSms: () => {
          called++
          return Effect.succeed(acceptance)
        }
      })
      const write: typeof journal.campaigns.write = (...args) =>
        Effect.tap(journal.campaigns.write(...args), late)
      const running = yield* Effect.forkChild(
        send(rows(1)).pipe(
          Effect.provideService(MessagingTopup, own),
          Effect.provideService(SendJournal, {
            ...journal,
            campaigns: { ...journal.campaigns, write }
          })
        )
      )
      const { events } = yield* passUntilOver(running)
      expect(events).toContainEqual(expect.objectContaining({ _tag: "Settled", notSent: 1 }))
      expect(called).toBe(1)
    }).pipe(Effect.provide(Services.inMemory))
  )
})

describe("an interruption", () => {
  it.effect("ends a run whose stream says nothing", () =>
    Effect.gen(function* () {
      const running = yield* Effect.forkChild(send(Stream.concat(rows(3), Stream.never)))
      yield* pass(1)
      yield* Fiber.interrupt(running)
      expect(yield* counts).toMatchObject({ sent: 3, "in-flight": 0 })
    }).pipe(Effect.provide(Services.inMemory))
  )
})

describe("without its journal", () => {
  const failing = (error: JournalUnavailable, times: number, after = 3) =>
    Effect.map(SendJournal, (journal) => {
      let [turns, left] = [0, times]
      return SendJournal.of({
        ...journal,
        campaigns: {
          ...journal.campaigns,
          write: (...args) =>
            Effect.suspend(() =>
              ++turns > after && left-- > 0 ? Effect.fail(error) : journal.campaigns.write(...args)
            )
        }
      })
    })

  // A database can be a standby for some seconds.
  it.effect.each(["unreachable", "read-only"] as const)(
    "a run waits until it is back, and keeps the outcomes: %s",
    (problem) =>
      Effect.gen(function* () {
        const journal = yield* failing(new JournalUnavailable({ problem }), 3)
        const running = yield* Effect.forkChild(
          Effect.provideService(send(rows(50)), SendJournal, journal)
        )
        const { events, rows: found } = yield* passUntilOver(running)
        expect(found).toEqual({ ...none, sent: 50 })
        const tags = events.map(({ _tag }) => _tag)
        expect(tags.filter((tag) => tag !== "Settled")).toEqual(["JournalLost", "JournalBack"])
        expect(yield* received).toBe(50)
      }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect.each([
    ["failed-over", 3],
    ["older-copy", 3],
    ["no-right", 0],
    ["read-only", 0],
    ["read-only-folder", 0],
    ["standby", 0]
  ] as const)("a run ends if waiting does not help: %s after %i writes", ([problem, writes]) =>
    Effect.gen(function* () {
      const journal = yield* failing(new JournalUnavailable({ problem }), 99, writes)
      const running = Effect.provideService(send(rows(50)), SendJournal, journal)
      expect(yield* Effect.flip(running)).toMatchObject({ problem })
    }).pipe(Effect.provide(Services.inMemory))
  )

  const replaced = new JournalUnavailable({ problem: "replaced" })

  it.effect("whose file is gone, a run ends after five minutes, and says how many it lost", () =>
    Effect.gen(function* () {
      const journal = yield* failing(replaced, Infinity)
      const events = new Array<SendManyEvent>()
      const onEvent = (event: SendManyEvent) => Effect.sync(() => events.push(event))
      const running = yield* Effect.forkChild(
        Effect.exit(
          Effect.provideService(
            sendMany(rows(50), { campaign: "c", onEvent }),
            SendJournal,
            journal
          )
        )
      )
      yield* pass(290)
      expect(running.pollUnsafe()).toBeUndefined()
      const exit = yield* passUntilOver(running)
      expect(yield* Effect.flip(exit)).toBe(replaced)
      const { sent, unknown: lost } = yield* counts
      expect(events.at(-1)).toEqual({ _tag: "OutcomesLost", rows: lost, error: replaced })
      expect(lost).toBeGreaterThan(0)
      expect(sent + lost).toBe(yield* received)
    }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect(
    "whose file is gone before its next rows, a run asks it for five minutes, not ten",
    () =>
      Effect.gen(function* () {
        const journal = yield* SendJournal
        const { look, missing } = journal.campaigns
        let looks = 0
        const unlessGone = <A, E>(read: Effect.Effect<A, E>) =>
          Effect.suspend((): Effect.Effect<A, E | JournalUnavailable> =>
            looks > 1 ? Effect.fail(replaced) : read
          )
        const gone = SendJournal.of({
          ...journal,
          campaigns: {
            ...journal.campaigns,
            look: (...args) => {
              looks++
              return unlessGone(look(...args))
            },
            missing: (...args) => unlessGone(missing(...args))
          }
        })
        const later = Stream.fromEffect(Effect.delay(Effect.succeed(rowOf(1)), "10 seconds"))
        const running = yield* sendMany(Stream.concat(rows(1), later), { campaign: "c" }).pipe(
          Effect.provideService(SendJournal, gone),
          Effect.exit,
          Effect.forkChild
        )
        yield* pass(290)
        expect(running.pollUnsafe()).toBeUndefined()
        yield* pass(40)
        expect(running.pollUnsafe()).toBeDefined()
        expect(yield* Effect.flip(yield* Fiber.join(running))).toBe(replaced)
        expect(yield* counts).toMatchObject({ sent: 1 })
      }).pipe(Effect.provide(Services.inMemory))
  )

  it.effect("whose file is gone, a run waits for the person who sits there", () =>
    Effect.gen(function* () {
      const journal = yield* failing(replaced, 600)
      const running = yield* Effect.forkChild(
        Effect.provideService(send(rows(50), { attended: true }), SendJournal, journal)
      )
      yield* pass(590)
      expect(running.pollUnsafe()).toBeUndefined()
      expect((yield* passUntilOver(running)).rows).toEqual({ ...none, sent: 50 })
      expect(yield* received).toBe(50)
    }).pipe(Effect.provide(Services.inMemory))
  )

  /** The second SMS waits for the journal from 40 seconds on. The third one is in flight until 60, and does not start. */
  const thirdIsSlow = Layer.suspend(() =>
    responding((index) =>
      index === 2
        ? Effect.delay(Effect.fail(new RequestTimedOut(never)), "40 seconds")
        : acceptedAfter("20 seconds")
    )
  )

  it.effect("a run that is asked to end waits for its requests, and then five seconds for it", () =>
    Effect.gen(function* () {
      const error = new JournalUnavailable({ problem: "full" })
      const journal = yield* failing(error, Infinity, 2)
      const events = new Array<SendManyEvent>()
      const onEvent = (event: SendManyEvent) => Effect.sync(() => events.push(event))
      const running = yield* sendMany(rows(50), { campaign: "c", onEvent }).pipe(
        Effect.provideService(SendJournal, journal),
        Effect.forkChild
      )
      yield* pass(45)
      const ending = yield* Effect.forkChild(Fiber.interrupt(running))
      yield* pass(18)
      expect(events.at(-1)).toMatchObject({ _tag: "JournalLost" })
      expect(ending.pollUnsafe()).toBeUndefined()
      yield* pass(4)
      expect(ending.pollUnsafe()).toBeDefined()
      // What did not start is not lost.
      expect(events.at(-1)).toEqual({ _tag: "OutcomesLost", rows: 1, error })
      expect(yield* counts).toMatchObject({ sent: 1, "in-flight": 2 })
    }).pipe(Effect.provide([layerMemory, thirdIsSlow]))
  )

  it.effect("a run that ends at once has lost what is in flight, too", () =>
    Effect.gen(function* () {
      const failedOver = new JournalUnavailable({ problem: "failed-over" })
      const journal = yield* failing(failedOver, Infinity, 2)
      const events = new Array<SendManyEvent>()
      const onEvent = (event: SendManyEvent) => Effect.sync(() => events.push(event))
      const running = yield* sendMany(rows(50), { campaign: "c", onEvent }).pipe(
        Effect.provideService(SendJournal, journal),
        Effect.exit,
        Effect.forkChild
      )
      expect(yield* passUntilOver(running)).toEqual(Exit.fail(failedOver))
      expect(events.at(-1)).toEqual({ _tag: "OutcomesLost", rows: 2, error: failedOver })
    }).pipe(Effect.provide([layerMemory, thirdIsSlow]))
  )
})
