import { MessagingTopup, Transport } from "@messaging-topup/core"
import type { SendJournal } from "@messaging-topup/journal/internal"
import type { Caller } from "@messaging-topup/mcp-server/src/send/Caller.ts"
import { Sender } from "@messaging-topup/mcp-server/src/send/Sender.ts"
import { Journal } from "@messaging-topup/mcp-server/src/send/Journal.ts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "vitest"
import {
  alone,
  approvedCaller,
  guardsOn,
  openRules,
  journalInMemory
} from "../harness/mcp/Guards.ts"
import { eras, openStdio, requestOf } from "../harness/mcp/RawStdio.ts"
import { openSandbox } from "../harness/mcp/RealSandbox.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

describe.for(eras)("in the %s era, a call that is cancelled in the same write", (era) => {
  it("sends nothing, is not remembered as unknown, and does not stop the next one", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.unasked })
    const callOf = (id: number) =>
      requestOf(era, id, "tools/call", { name: "send_sms", arguments: sms })
    for (const id of [1, 2, 3]) {
      await stdio.send(callOf(id), {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: id }
      })
    }
    expect((await stdio.ask(callOf(4))).result).toMatchObject({
      structuredContent: { sent_by_this_call: true }
    })
    expect(await sandbox.messages()).toHaveLength(1)
    expect(stdio.messages().filter(({ id }) => [1, 2, 3].includes(Number(id)))).toEqual([])
    await stdio.server.until("stderr", /"event":"send".*"outcome":"sent"/)
    expect(stdio.server.written.stderr).not.toContain('"outcome":"unknown"')
  })
})

/** Delays an operation of the state by some steps. */
const slowly = <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  pause.pipe(
    Effect.andThen(step),
    Effect.tap(() => pause)
  )

const pauses = 3

const pause = Effect.repeat(Effect.yieldNow, { times: pauses - 1 })

const body = {
  success: true,
  status: 202,
  message: "Queued",
  data: [{ recipient: "+1", message_id: "m-1", status: "Queued" }]
}

const response = {
  status: 202,
  headers: new Map(),
  body: { bytes: new TextEncoder().encode(JSON.stringify(body)), truncated: false }
}

/** The guards with a slow state and a slow service, and a person who approved, or who is not asked. */
const scene = Effect.fnUntraced(function* (isAsked: boolean) {
  const opened = Context.get(yield* Layer.build(journalInMemory), Journal)
  // Opens the journal first, so that every call takes the same steps.
  yield* opened.isReady
  let claims = 0
  let requests = 0
  const watched = (journal: typeof SendJournal.Service): typeof SendJournal.Service => ({
    ...journal,
    server: {
      ...journal.server,
      send: (toSend, onClaim, restore) => {
        const counted = Effect.sync(() => void (claims += 1))
        const slow = (claimed: Parameters<typeof onClaim>[0]) =>
          slowly(Effect.andThen(counted, onClaim(claimed)))
        return journal.server.send(toSend, slow, restore)
      }
    }
  })
  const slowJournal = Journal.of({
    ...opened,
    use: (ask) => slowly(opened.use((journal) => ask(watched(journal))))
  })
  const service = MessagingTopup.layer({
    baseUrl: "https://api.example.com",
    token: Redacted.make("token")
  }).pipe(
    Layer.provide(
      Layer.succeed(Transport, {
        headers: {},
        reportsStart: true,
        send: (_, { onStart }) =>
          Effect.andThen(
            pause,
            Effect.suspend(() => {
              if (!onStart()) return Effect.never
              requests++
              return Effect.as(pause, response)
            })
          )
      })
    )
  )
  const guards = yield* Layer.build(
    Layer.merge(
      guardsOn(Layer.succeed(Journal, slowJournal), {
        ...openRules,
        confirm: isAsked ? "auto" : "off"
      }),
      service
    )
  )
  const { send } = Context.get(guards, Sender)
  const sendBy = (caller: Caller) => Effect.provide(send(caller, [sms], false), guards)
  const caller = isAsked ? yield* approvedCaller(sendBy) : alone
  const states = Effect.map(
    opened.use(({ server }) => server.recent({ limit: 9 })),
    (sends) => sends.map(({ state }) => state)
  )
  return { send: sendBy(caller), states, claims: () => claims, requests: () => requests }
})

/** Far more steps than a call takes. */
const longest = 200

const ended = Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<A, E>) {
  for (let step = 0; step < longest; step++) {
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return exit
    yield* Effect.yieldNow
  }
  throw new Error("The call hangs")
})

const interruptedAfter = Effect.fnUntraced(function* (steps: number) {
  const { claims, requests, send, states } = yield* scene(true)
  const first = yield* Effect.forkChild(send, { startImmediately: true })
  for (let step = 0; step < steps; step++) yield* Effect.yieldNow
  const isOver = first.pollUnsafe() !== undefined
  first.interruptUnsafe()
  yield* ended(first)
  // A request that has started goes on without its call.
  for (let step = 0; step < longest; step++) yield* Effect.yieldNow
  const claimed = claims()
  // A claim whose request never started leaves nothing.
  const left = yield* states
  expect(left, `after ${steps} steps`).toEqual(requests() === 0 ? [] : ["sent"])
  const next = yield* Effect.forkChild(Effect.exit(send), { startImmediately: true })
  yield* ended(next)
  // The approval of the claim was used.
  expect(yield* states).toEqual(claimed === 0 ? ["sent"] : left)
  expect([claims(), requests()]).toEqual([1, claimed === 0 ? 1 : left.length])
  return { isOver, outcome: claimed === 0 ? "no claim" : (left[0] ?? "nothing") }
}, Effect.scoped)

it("interrupted at any step, every claim is settled, and the next call ends", async () => {
  const outcomes: Array<string> = []
  for (let [steps, isLast] = [0, false]; !isLast; steps++) {
    const { isOver, outcome } = await Effect.runPromise(
      interruptedAfter(steps).pipe(Effect.provide(Logger.layer([])), Effect.scoped)
    )
    outcomes.push(outcome)
    isLast = isOver
  }
  // The outcomes appear in this order, each for some steps.
  expect([...new Set(outcomes)]).toEqual(["no claim", "nothing", "sent"])
})

const repeatedAfter = Effect.fnUntraced(function* (steps: number) {
  const { requests, send } = yield* scene(false)
  const first = yield* Effect.forkChild(send, { startImmediately: true })
  for (let step = 0; step < steps; step++) yield* Effect.yieldNow
  const isOver = first.pollUnsafe() !== undefined
  first.interruptUnsafe()
  const ends = Effect.map(send, ([only]) => only?.end)
  const said = yield* ends
  if (said?._tag !== "Sent") {
    expect(said, `after ${steps} steps`).toMatchObject({ code: "in_flight_elsewhere" })
    // What has started goes on, and what has not leaves it free.
    for (let step = 0; step < longest; step++) yield* Effect.yieldNow
    expect(yield* ends).toMatchObject({ _tag: "Sent" })
  }
  expect(requests()).toBe(1)
  return isOver
}, Effect.scoped)

it("repeated right after it was interrupted at any step, a call has its SMS sent, once", async () => {
  const together = 10
  const areOver = new Array<boolean>()
  while (!areOver.includes(true)) {
    const steps = Array.from({ length: together }, (_, at) => areOver.length + at)
    const all = Effect.forEach(steps, repeatedAfter, { concurrency: together })
    const quiet = Effect.provide(all, Logger.layer([]))
    areOver.push(...(await Effect.runPromise(Effect.scoped(quiet))))
  }
  // Not only at its first steps.
  expect(areOver.indexOf(true)).toBeGreaterThan(together)
})
