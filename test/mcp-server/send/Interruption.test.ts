import { MessagingTopup, OnRequestStart, type SendOutcome } from "@messaging-topup/core"
import type { Caller } from "@messaging-topup/mcp-server/src/send/Caller.ts"
import { layerMemory } from "@messaging-topup/journal"
import { Confirmation } from "@messaging-topup/mcp-server/src/send/Confirmation.ts"
import { InFlight } from "@messaging-topup/mcp-server/src/send/InFlight.ts"
import type { Rules } from "@messaging-topup/mcp-server/src/send/Rules.ts"
import { SendGuard } from "@messaging-topup/mcp-server/src/send/SendGuard.ts"
import { SendMemory } from "@messaging-topup/mcp-server/src/send/SendMemory.ts"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Struct from "effect/Struct"
import { describe, expect, it } from "vitest"
import { openRules } from "../support/OpenRules.ts"
import { eras, openStdio, requestOf } from "../support/RawStdio.ts"
import { openSandbox } from "../support/RealSandbox.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

describe.for(eras)("in the %s era, a call that is cancelled in the same write", (era) => {
  it("sends nothing, is not remembered as unknown, and does not stop the next one", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.env })
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
const slowly = <A, E>(step: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  pause.pipe(
    Effect.andThen(step),
    Effect.tap(() => pause)
  )

const pauses = 3

const pause = Effect.repeat(Effect.yieldNow, { times: pauses - 1 })

const caller: Caller = {
  principal: "local",
  asking: { _tag: "DuringCall", ask: () => Effect.die("the person was asked before") },
  report: undefined
}

const approval = { nonce: "one", expiresAt: Number.MAX_SAFE_INTEGER }

const rules: Rules = { ...openRules, confirm: { value: "auto", option: "confirm" } }

interface Scene {
  readonly guard: SendGuard["Service"]
  readonly settled: ReadonlyArray<SendOutcome>
  readonly claims: ReadonlyArray<string>
  /** How many requests the service received. */
  readonly requests: () => number
  readonly service: Layer.Layer<MessagingTopup>
}

/** The guards with a slow state and a slow service, and a person who approved. */
const scene = Effect.gen(function* () {
  const memory = Context.get(
    yield* Layer.build(
      SendMemory.layer({
        place: "memory",
        journal: layerMemory,
        duplicateWindow: Duration.minutes(10),
        unknownHold: Duration.hours(24),
        staleAfter: Duration.minutes(1)
      })
    ),
    SendMemory
  )
  // Opens the journal first, so that every call takes the same steps.
  yield* memory.digest([])
  const settled: Array<SendOutcome> = []
  const claims: Array<string> = []
  let requests = 0
  const slowMemory = SendMemory.of({
    ...memory,
    look: (send) => slowly(memory.look(send)),
    claim: (send) =>
      slowly(
        Effect.tap(memory.claim(send), ({ _tag }) => Effect.sync(() => void claims.push(_tag)))
      ),
    settle: (send, claim, ended) =>
      slowly(
        Effect.tap(memory.settle(send, claim, ended), () =>
          Effect.sync(() => void settled.push(ended.outcome))
        )
      ),
    redeem: (used, isApproved) => slowly(memory.redeem(used, isApproved))
  })
  const confirmation = Confirmation.of({
    decided: (asking, subjects) => {
      const [subject] = Struct.keys(subjects)
      return subject === undefined
        ? Effect.die("There is nothing to approve")
        : Effect.as(pause, { caller: asking, approved: { approval, subject } })
    },
    ask: () => Effect.die("The person approved already")
  })
  const service = yield* Layer.build(
    Layer.mock(MessagingTopup, {
      sendSms: () =>
        Effect.flatMap(OnRequestStart, (onStart) => {
          onStart()
          requests++
          return pause.pipe(
            Effect.as({
              success: true,
              status: 200,
              message: "Queued",
              data: [{ recipient: "+1", message_id: "m-1", status: "Queued" }]
            })
          )
        })
    })
  )
  const guard = yield* SendGuard.pipe(
    Effect.provide(
      SendGuard.layer({
        rulesOf: () => rules,
        duplicateWindow: Duration.minutes(10),
        hideRecentTexts: false,
        service: "https://api.example.com"
      }).pipe(
        Layer.provide(Layer.succeed(Confirmation, confirmation)),
        Layer.provide(InFlight.layer),
        Layer.provide(Layer.succeed(SendMemory, slowMemory))
      )
    )
  )
  return {
    guard,
    settled,
    claims,
    requests: () => requests,
    service: Layer.succeedContext(service)
  } satisfies Scene
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
  const { claims, guard, requests, service, settled } = yield* scene
  const send = guard
    .send(caller, sms, { resendUnknown: false, sendAgain: false })
    .pipe(Effect.provide(service))
  const first = yield* Effect.forkChild(send, { startImmediately: true })
  for (let step = 0; step < steps; step++) yield* Effect.yieldNow
  first.interruptUnsafe()
  yield* ended(first)
  // A request that has started goes on without its call.
  for (let step = 0; step < longest; step++) yield* Effect.yieldNow
  const available = claims.filter((tag) => tag === "Claimed").length
  expect(settled, `after ${steps} steps`).toHaveLength(available)
  const [outcome] = settled
  // If no request started, the outcome is not-sent. Otherwise it is sent, and never not-sent.
  expect(requests()).toBe(outcome === undefined || outcome === "not-sent" ? 0 : 1)
  const next = yield* Effect.forkChild(Effect.exit(send), { startImmediately: true })
  yield* ended(next)
  expect(claims.filter((tag) => tag === "Claimed")).toHaveLength(settled.length)
  expect(requests()).toBeLessThanOrEqual(1)
  return outcome ?? "no claim"
}, Effect.scoped)

it("interrupted at any step, every claim is settled, and the next call ends", async () => {
  const outcomes: Array<string> = []
  for (let steps = 0; steps < longest / 2; steps++) {
    outcomes.push(
      await Effect.runPromise(
        interruptedAfter(steps).pipe(Effect.provide(Logger.layer([])), Effect.scoped)
      )
    )
  }
  // The outcomes appear in this order, each for some steps.
  expect([...new Set(outcomes)]).toEqual(["no claim", "not-sent", "sent"])
})
