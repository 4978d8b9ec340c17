import { expect, it } from "@effect/vitest"
import { AuthenticationFailed, MessagingTopup, MayStart } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { layerMemory } from "@messaging-topup/journal"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { join } from "node:path"
import { settled } from "../harness/campaign/Rows.ts"
import { acceptance } from "../harness/Contract.ts"
import { claimed, tryToClaim } from "../harness/journal/conformance/ServerTests.ts"
import { service } from "../harness/journal/Service.ts"
import { rewriting } from "../harness/journal/Statements.ts"
import { folder } from "../harness/TemporaryFolder.ts"
import { runInTestTime } from "../harness/TestTime.ts"

const sms = { recipient: "+15550101234", message: "Your code is 4711" }

const stateOf = (key: string) =>
  Effect.flatMap(SendJournal, ({ campaigns }) =>
    Effect.map(campaigns.look([{ key, digest: "" }]), ([standing]) => standing?.state)
  )

/** The service over HTTP, with one connection. */
const client = Layer.unwrap(
  Effect.map(Sandbox, ({ baseUrl, token }) =>
    MessagingTopup.layer({ baseUrl, token, timeout: "1 second" })
  )
).pipe(Layer.provide(NodeTransport.layerOptions({ connections: 1 })))

const oneConnection = Layer.provideMerge(client, Sandbox.layer())

it.live("a call that is interrupted while it waits for a connection leaves nothing", () =>
  Effect.gen(function* () {
    const { sendOnce } = yield* SendJournal
    const { requests, setFault, until } = yield* Sandbox
    yield* setFault({ fault: "NoResponse", accept: false })
    const first = yield* Effect.forkChild(sendOnce("first", sms))
    yield* until((kept) => kept.requests.length === 1)
    const waiting = yield* Effect.forkChild(sendOnce("waiting", sms))
    yield* Effect.repeat(stateOf("/waiting"), { until: (state) => state === "in-flight" })
    yield* Fiber.interrupt(waiting)
    expect(yield* stateOf("/waiting")).toBe("free")
    // It ends at its time-out.
    yield* Fiber.interrupt(first)
    expect(yield* stateOf("/first")).toBe("unknown")
    expect(yield* requests()).toHaveLength(1)
  }).pipe(Effect.provide(Layer.merge(layerMemory, oneConnection)))
)

// docs/send-once.md says which forks end what has started.
it.live.each([
  ["in the scope of the program ends", Effect.forkScoped, "sent"],
  ["as a child outlives the layers", Effect.forkChild, "in-flight"]
] as const)("a stopped program: a call that is forked %s", ([, fork, state]) =>
  Effect.gen(function* () {
    const { setFault, until } = yield* Sandbox
    const journal = Sqlite.layer(join(yield* folder, "sends.sqlite"))
    yield* setFault({ fault: "Slow", seconds: 0.2 })
    const call = Effect.flatMap(SendJournal, ({ sendOnce }) => sendOnce("key", sms))
    const program = fork(call).pipe(
      Effect.andThen(Effect.never),
      Effect.scoped,
      Effect.provide(Layer.merge(journal, client))
    )
    const running = yield* Effect.forkChild(program)
    yield* until((kept) => kept.requests.length === 1)
    yield* Fiber.interrupt(running)
    expect(yield* Effect.provide(stateOf("/key"), journal)).toBe(state)
  }).pipe(Effect.provide([Sandbox.layer(), Logger.layer([])]))
)

it.effect("what cannot be written is kept, and the caller is told after two seconds", () =>
  Effect.gen(function* () {
    const journal = yield* SendJournal
    const made = yield* claimed("k")
    let isBroken = true
    const breaking = (sql: string) => (isBroken && sql === "begin immediate" ? "broken" : sql)
    const settling = Effect.gen(function* () {
      const settle = journal.settle(made, { state: "sent", messages: [] })
      const fiber = yield* Effect.forkChild(settle)
      yield* TestClock.adjust("2 seconds")
      const isWritten = yield* Fiber.join(fiber)
      isBroken = false
      yield* TestClock.adjust("2 seconds")
      return isWritten
    })
    expect(yield* rewriting(breaking, settling)).toBe(false)
    expect(yield* journal.server.recent({ limit: 1 })).toMatchObject([{ state: "sent" }])
  }).pipe(Effect.provide(Layer.merge(layerMemory, service)))
)

it.effect.each([
  [{ state: "sent", messages: [] }, "sent"],
  [{ state: "unknown" }, "unknown"],
  [{ state: "nothing" }, "not-sent"]
] as const)("what was not written at the end is an error of the log: %j", ([stored, outcome]) =>
  Effect.gen(function* () {
    const lines: Array<unknown> = []
    const logger = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
      lines.push(logLevel, message, fiber.getRef(References.CurrentLogAnnotations))
    })
    let isBroken = false
    const breaking = (sql: string) => (isBroken && sql === "begin immediate" ? "broken" : sql)
    const settling = Effect.gen(function* () {
      const { settle } = yield* SendJournal
      const made = yield* claimed("k")
      isBroken = true
      yield* settle(made, stored)
    }).pipe(
      Effect.annotateLogs({ digest: "d" }),
      Effect.provide([Layer.merge(layerMemory, service), Logger.layer([logger])])
    )
    yield* runInTestTime(rewriting(breaking, settling))
    const words = expect.stringMatching(
      /^The outcome of an SMS could not be written .+ if an older copy took its place .+, keep the SMS from going out again$/
    )
    expect(lines).toEqual([
      "Error",
      [words, { id: 1, journal: "memory", outcome }],
      { digest: "d" }
    ])
  })
)

/** A service of the program's own, and how often it was called. */
const ownService = (sendSms: MessagingTopup["Service"]["sendSms"]) => {
  const calls = { count: 0 }
  const layer = Layer.mock(MessagingTopup, {
    sendSms: (request) =>
      Effect.suspend(() => {
        calls.count += 1
        return sendSms(request)
      }),
    timeoutMillis: 30_000
  })
  return { calls, layer: Layer.merge(layerMemory, layer) }
}

it.effect("a service that never says when a request starts is called once, whatever it says", () =>
  Effect.gen(function* () {
    const refused = new AuthenticationFailed({
      operation: "sendSms",
      error: { title: "Unauthorized" }
    })
    const { calls, layer } = ownService(() => Effect.fail(refused))
    const ended = Effect.flatMap(SendJournal, ({ sendOnce }) => Effect.flip(sendOnce("k", sms)))
    expect(yield* Effect.provide(ended, layer)).toBe(refused)
    expect(calls.count).toBe(1)
  })
)

it.effect("an unknown outcome tells its id and since when, to its own call and to the next", () =>
  Effect.gen(function* () {
    // @ts-expect-error -- no response
    const { layer } = ownService(() => Effect.succeed({}))
    const ended = Effect.flatMap(SendJournal, ({ sendOnce }) => Effect.flip(sendOnce("k", sms)))
    const unknown = {
      _tag: "OutcomeUnknown",
      id: 1,
      since: 10_000,
      message: expect.stringMatching(/: resolve in this program, whose journal is in memory$/)
    }
    yield* Effect.gen(function* () {
      yield* TestClock.setTime(10_000)
      expect(yield* ended).toMatchObject(unknown)
      yield* TestClock.setTime(20_000)
      expect(yield* ended).toMatchObject(unknown)
    }).pipe(Effect.provide(layer))
  })
)

it.effect("a call that waits for another one sends nothing if the campaign is pruned then", () =>
  Effect.gen(function* () {
    const responds = yield* Deferred.make<void>()
    const { calls, layer } = ownService(() => Effect.as(Deferred.await(responds), acceptance))
    yield* Effect.gen(function* () {
      const { prune, sendOnce } = yield* SendJournal
      const send = sendOnce({ campaign: "c", key: "k" }, sms)
      const first = yield* Effect.forkChild(send)
      yield* settled
      const second = yield* Effect.forkChild(send)
      yield* settled
      yield* Deferred.succeed(responds, undefined)
      yield* Fiber.join(first)
      expect(yield* prune({ campaign: "c" })).toBe(1)
      yield* TestClock.adjust("100 millis")
      expect(yield* Effect.flip(Fiber.join(second))).toMatchObject({ _tag: "CampaignPruned" })
      expect(calls.count).toBe(1)
    }).pipe(Effect.provide(layer))
  })
)

it.effect("a request whose claim is from the future never starts: the clock was set back", () =>
  Effect.gen(function* () {
    const started = yield* Deferred.make<boolean>()
    const { layer } = ownService(() =>
      Effect.gen(function* () {
        const mayStart = yield* MayStart
        yield* TestClock.setTime(9_000)
        yield* Deferred.succeed(started, mayStart())
        return yield* Effect.never
      })
    )
    yield* TestClock.setTime(10_000)
    const sending = Effect.flatMap(SendJournal, ({ sendOnce }) => sendOnce("k", sms))
    const fiber = yield* Effect.forkChild(Effect.provide(sending, layer))
    expect(yield* Deferred.await(started)).toBe(false)
    yield* Fiber.interrupt(fiber)
  })
)

it.effect("a claim that was made while the clock was far ahead is unknown, and not in flight", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(3_600_000)
    yield* claimed("k")
    yield* TestClock.setTime(3_541_000)
    expect(yield* stateOf("k")).toBe("in-flight")
    yield* TestClock.setTime(3_479_000)
    yield* TestClock.adjust("1 minute")
    expect(yield* stateOf("k")).toBe("unknown")
  }).pipe(Effect.provide(layerMemory))
)

it.effect.each([1, -1])("a clock that is %d hours ahead frees nothing that is in flight", (hours) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(7_200_000)
    const clock = yield* Clock.Clock
    const another: Clock.Clock = Object.assign(Object.create(clock), {
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + hours * 3_600_000
    })
    const { resolve } = yield* SendJournal
    const { id } = yield* claimed("k")
    const byAnother = Effect.provideService(
      Effect.all([stateOf("k"), resolve({ ids: [id] }, "resend")]),
      Clock.Clock,
      another
    )
    expect(yield* byAnother).toMatchObject(["in-flight", { changed: 0, meanwhile: 1 }])
    yield* TestClock.adjust("1 minute")
    expect(yield* byAnother).toMatchObject(["unknown", { changed: 1 }])
  }).pipe(Effect.provide(layerMemory))
)

it.effect("a clock that is set back while a response comes opens no window", () =>
  Effect.gen(function* () {
    const { settle } = yield* SendJournal
    const minutes = (count: number) => TestClock.setTime(count * 60_000)
    yield* minutes(60)
    const made = yield* claimed("k")
    yield* minutes(51)
    yield* settle(made, { state: "sent", messages: [] })
    yield* minutes(69)
    expect((yield* tryToClaim("k"))._tag).toBe("InTheWay")
    yield* minutes(1261)
    expect((yield* tryToClaim("k"))._tag).toBe("Claimed")
  }).pipe(Effect.provide(layerMemory))
)
