/**
 * Core decides how a send ended, and single sends, campaigns and the tool `send_sms` follow it, for every
 * shape of its end.
 */
import { describe, expect, it } from "@effect/vitest"
import { send as sendRow } from "@messaging-topup/journal/src/many/SendRow.ts"
import * as core from "@messaging-topup/core"
import { outcomeOf } from "../../packages/core/src/call/SendEnd.ts"
import { storedOutcomeOf, SendJournal } from "@messaging-topup/journal/internal"
import { layerMemory } from "@messaging-topup/journal"
import { Sender } from "@messaging-topup/mcp-server/src/send/Sender.ts"
import { Journal } from "@messaging-topup/mcp-server/src/send/Journal.ts"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { acceptance } from "../harness/Contract.ts"
import { alone, guardsOn, journalInMemory } from "../harness/mcp/Guards.ts"

const operation = "sendSms"

const reasons: Readonly<Record<string, Cause.Reason<core.SendSmsError>>> = {
  "not-sent": Cause.makeFailReason(new core.ConnectionFailed({ operation })),
  unknown: Cause.makeFailReason(new core.ConnectionLost({ operation })),
  sent: Cause.makeFailReason(new core.ConnectionLost({ status: 202, operation })),
  defect: Cause.makeDieReason("defect"),
  interruption: Cause.makeInterruptReason(1)
}

type Names = ReadonlyArray<string>

const longer = (shapes: ReadonlyArray<Names>): ReadonlyArray<Names> =>
  shapes.flatMap((names) => Object.keys(reasons).map((name) => [...names, name]))

/** One, two and three reasons, in every order. */
const one = longer([[]])
const two = longer(one)
const shapes = [...one, ...two, ...longer(two)]

const exitOf = (names: Names) =>
  Exit.failCause(Cause.fromReasons(names.flatMap((name) => reasons[name] ?? [])))

/** What nobody knows is unknown, and an end without a word on a request that started is such a one. */
const expected = (names: Names, hasStarted: boolean): core.SendOutcome => {
  if (names.includes("sent")) return "sent"
  if (names.includes("unknown")) return "unknown"
  if (names.includes("defect")) return "unknown"
  return hasStarted && names.includes("interruption") ? "unknown" : "not-sent"
}

const cases = shapes.flatMap((names) =>
  [false, true].map((hasStarted) => ({
    exit: exitOf(names),
    hasStarted,
    outcome: expected(names, hasStarted),
    what: `${names.join()}, ${hasStarted ? "after" : "before"} the start`
  }))
)

/** Those that a service can end with. */
const started = cases
  .filter(({ hasStarted }) => hasStarted)
  .map(({ exit, outcome, what }) => ({
    outcome,
    what,
    service: Layer.mock(core.MessagingTopup, { sendSms: () => exit })
  }))

const request = { recipient: "+15550101234", message: "Hi" }

/** The end of such a send, as `endOfSend` returns it. */
const endOf = ({
  exit,
  outcome
}: (typeof cases)[number]): core.SendEnd<never, core.SendSmsError> => {
  const error = Exit.isFailure(exit)
    ? exit.cause.reasons.find(Cause.isFailReason)?.error
    : undefined
  return { outcome, results: [], ...(error === undefined ? {} : { error }), exit }
}

const guards = guardsOn(journalInMemory)

describe("every end of a send is decided by core", () => {
  it.effect("from its cause and the start of its request", () =>
    Effect.gen(function* () {
      for (const { exit, hasStarted, outcome, what } of cases) {
        expect(outcomeOf(exit, hasStarted), what).toBe(outcome)
        if (hasStarted) expect((yield* core.endOfSend(exit)).outcome, what).toBe(outcome)
      }
    })
  )

  it("and stored as such, by whoever sends with the journal", () => {
    for (const each of cases) {
      const { outcome } = storedOutcomeOf(endOf(each))
      const stored = outcome === "nothing" || outcome === "rejected" ? "not-sent" : outcome
      expect(stored, each.what).toBe(each.outcome)
    }
  })

  it.effect("and told by a single send, now and the next time", () =>
    Effect.gen(function* () {
      const { sendOnce } = yield* SendJournal
      for (const { outcome, service, what } of started) {
        yield* Effect.provide(Effect.exit(sendOnce(what, request)), service)
        let calls = 0
        const counting = Layer.mock(core.MessagingTopup, {
          sendSms: () => {
            calls++
            return Effect.succeed(acceptance)
          }
        })
        yield* Effect.provide(Effect.exit(sendOnce(what, request)), counting)
        expect(calls, what).toBe(outcome === "not-sent" ? 1 : 0)
      }
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("and stored of a row of a campaign", () =>
    Effect.gen(function* () {
      for (const { outcome, service, what } of started) {
        const { stored } = yield* Effect.provide(
          sendRow(request, () => true),
          service
        )
        const isNotSent = stored.outcome === "nothing" || stored.outcome === "rejected"
        expect(isNotSent ? "not-sent" : stored.outcome, what).toBe(outcome)
      }
    })
  )

  it.live("and stored and told by the MCP server", () =>
    Effect.gen(function* () {
      const { send } = yield* Sender
      const { use } = yield* Journal
      for (const { outcome, service, what } of started) {
        const requests = [{ ...request, message: what }]
        const ended = yield* Effect.provide(send(alone, requests, false), service)
        const [only] = "message" in ended ? [] : ended
        expect(only && (only.end._tag === "Sent" ? "sent" : only.end.outcome), what).toBe(outcome)
        const [last] = yield* use(({ server }) => server.recent({ limit: 1 }))
        expect(outcome === "not-sent" ? "not-sent" : last?.state, what).toBe(outcome)
      }
    }).pipe(Effect.provide(Layer.merge(guards, Logger.layer([]))))
  )
})

it.effect("a row whose request may not start leaves nothing, and the service is not called", () =>
  Effect.gen(function* () {
    const service = Layer.mock(core.MessagingTopup, { sendSms: () => Effect.die("called") })
    const end = yield* Effect.provide(
      sendRow(request, () => false),
      service
    )
    expect(end).toEqual({ stored: { outcome: "nothing" } })
  })
)
