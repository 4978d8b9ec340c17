import type { PlannedSend } from "@messaging-topup/mcp-server/src/send/PlannedSend.ts"
import * as Guards from "@messaging-topup/mcp-server/src/Guards.ts"
import { InFlight } from "@messaging-topup/mcp-server/src/send/InFlight.ts"
import * as Settings from "@messaging-topup/mcp-server/src/settings/Settings.ts"
import { SendMemory } from "@messaging-topup/mcp-server/src/send/SendMemory.ts"
import { layerMemory } from "@messaging-topup/journal"
import { Refusal } from "@messaging-topup/mcp-server/src/send/Refusal.ts"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { join } from "node:path"
import { expect, it } from "vitest"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

// What blocks a send, and for how long, is tested with every journal (test/journal/conformance) and
// through the tool (the other files of this folder).

const windowMillis = Duration.toMillis("10 minutes")

const plannedOf = (key: string): PlannedSend => ({
  key,
  principal: "ann",
  recipient: "+1",
  segments: 2,
  limits: [],
  kind: "first",
  approvedBy: "none"
})

const refusal = new Refusal({ code: "send_failed", what: "The SMS was not sent.", next: "" })

const withMemory = <A, E>(
  effect: Effect.Effect<A, E, SendMemory>,
  forgetAfter?: Duration.Duration
): Promise<A> =>
  Effect.runPromise(
    Effect.provide(
      effect,
      Layer.provideMerge(
        SendMemory.layer({
          place: "memory",
          ...(forgetAfter === undefined ? {} : { forgetAfter }),
          journal: layerMemory,
          duplicateWindow: Duration.millis(windowMillis),
          unknownHold: Duration.infinity,
          staleAfter: Duration.hours(100_000)
        }),
        TestClock.layer()
      )
    )
  )

it("forgets ended sends after a time, if it is told to", async () => {
  const listed = await withMemory(
    Effect.gen(function* () {
      const memory = yield* SendMemory
      for (const key of ["a", "b", "c"]) {
        const result = yield* memory.claim(plannedOf(key))
        if (result._tag !== "Claimed") return []
        const ended = { outcome: "sent", results: [], atMillis: 0 } as const
        yield* memory.settle(
          plannedOf(key),
          result.claim,
          key === "b" ? { outcome: "unknown" } : ended
        )
      }
      const before = yield* memory.recent({ principal: "ann" }, 10)
      yield* TestClock.adjust("26 hours")
      return [before.length, (yield* memory.recent({ principal: "ann" }, 10)).length]
    }),
    Duration.days(1)
  )
  expect(listed).toEqual([3, 0])
})

it.each([
  ["forgets", "memory", () => "memory", 0],
  ["does not forget", "a file", () => `sqlite:${join(temporaryFolder(), "sends.sqlite")}`, 1]
])("%s by default what was sent, in %s", async (_, __, stateOf, left) => {
  const env = { MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:9", MESSAGING_TOPUP_TOKEN: "token" }
  const settings = await Effect.runPromise(Settings.read(["--state", stateOf()], env))
  if (settings._tag !== "Serve") throw new Error("no settings to serve")
  const options = { ...settings.guards, service: "", staleAfter: Duration.hours(100) }
  const guards = Guards.layer({ ...options, state: settings.state }).pipe(
    Layer.provide(InFlight.layer),
    Layer.provideMerge(TestClock.layer())
  )
  const listed = Effect.gen(function* () {
    const memory = yield* SendMemory
    const result = yield* memory.claim(plannedOf("a"))
    if (result._tag !== "Claimed") return undefined
    yield* memory.settle(plannedOf("a"), result.claim, {
      outcome: "sent",
      results: [],
      atMillis: 0
    })
    yield* TestClock.adjust("26 hours")
    return (yield* memory.recent({ principal: "ann" }, 10)).length
  })
  expect(await Effect.runPromise(Effect.provide(listed, guards))).toBe(left)
})

it("says nothing of the state if a check ends after the server", async () => {
  const said: Array<unknown> = []
  const log = Logger.layer([Logger.make(({ message }) => said.push(message))])
  const memory = await withMemory(Effect.tap(SendMemory, ({ isReady }) => isReady))
  expect(await Effect.runPromise(Effect.provide(memory.isReady, log))).toBe(false)
  expect(said).toEqual([])
})

it("accepts each approval once until it expires", () =>
  withMemory(
    Effect.gen(function* () {
      const memory = yield* SendMemory
      const approval = { nonce: "one", expiresAt: windowMillis }
      const claim = { ...plannedOf("a"), approval }
      yield* memory.redeem(approval, false)
      // The approval expires at the last step.
      for (const millis of [0, 1, windowMillis - 1]) {
        yield* TestClock.adjust(millis)
        // A look does not redeem an approval, and forgets none too early.
        expect(yield* memory.look(claim)).toEqual({ _tag: "Available", unresolved: false })
        expect(yield* memory.claim(claim)).toEqual({ _tag: "ApprovalUsed", approved: false })
      }
      const other = { ...claim, approval: { ...approval, nonce: "two" } }
      const result = yield* memory.claim(other)
      if (result._tag !== "Claimed") return expect.fail(result._tag)
      yield* memory.settle(other, result.claim, { outcome: "not-sent", refusal })
      expect(yield* memory.claim(other)).toEqual({ _tag: "ApprovalUsed", approved: true })
    })
  ))
