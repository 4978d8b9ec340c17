/**
 * Single sends and campaigns take the outcome of a send from core, for every shape of its end.
 */
import { describe, expect, it } from "@effect/vitest"
import { endOf } from "@messaging-topup/campaign/src/sending/Outcome.ts"
import * as core from "@messaging-topup/core"
import { layerMemory, type Row, SendClaims, SendJournal } from "@messaging-topup/journal"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"

const operation = "sendSms"

const reasons: Readonly<Record<string, Cause.Reason<core.SendSmsError>>> = {
  "not sent": Cause.makeFailReason(new core.ConnectionFailed({ operation })),
  unknown: Cause.makeFailReason(new core.ConnectionLost({ operation })),
  sent: Cause.makeFailReason(new core.ConnectionLost({ status: 202, operation })),
  defect: Cause.makeDieReason("defect"),
  interruption: Cause.makeInterruptReason(1)
}

type Names = ReadonlyArray<string>

const one: ReadonlyArray<Names> = Object.keys(reasons).map((name) => [name])
const longer = (shapes: ReadonlyArray<Names>) =>
  shapes.flatMap((names) => one.map(([name = ""]) => [...names, name]))

/** One, two and three reasons, in every order. */
const shapes = [...one, ...longer(one), ...longer(longer(one))]

const exitOf = (names: Names) =>
  Exit.failCause(Cause.fromReasons(names.flatMap((name) => reasons[name] ?? [])))

const request = { recipient: "+15550101234", message: "Hi" }

const serviceThatEnds = (exit: Exit.Exit<never, core.SendSmsError>) =>
  Layer.mock(core.MessagingTopup, { sendSms: () => exit })

describe("the outcome of every end of a send is that of core", () => {
  it.effect("for a single send", () =>
    Effect.gen(function* () {
      const journal = yield* SendJournal
      const claims = yield* SendClaims
      for (const names of shapes) {
        const exit = exitOf(names)
        yield* Effect.exit(journal.sendOnce(names.join(), request)).pipe(
          Effect.provide(serviceThatEnds(exit))
        )
        const [last] = yield* claims.recent({}, 1)
        const state = last?.key === names.join() ? last.state : "not-sent"
        expect(state, names.join()).toBe(core.endOfSend(exit, true).outcome)
      }
    }).pipe(Effect.provide(layerMemory))
  )

  it("for a row of a campaign, before and after its request started", () => {
    const row: Row = { id: 1, key: "k", request, state: "attempting", tries: 0, at: 0 }
    for (const names of shapes) {
      for (const hasStarted of [false, true]) {
        const exit = exitOf(names)
        const { outcome } = endOf(row, exit, hasStarted, 5).settlement
        const isNotSent = outcome === "not-sent" || outcome === "released"
        expect(isNotSent ? "not-sent" : outcome, `${names.join()} ${hasStarted}`).toBe(
          core.endOfSend(exit, hasStarted).outcome
        )
      }
    }
  })

  it("and a row whose call did not begin is released: it may be claimed again, without a try", () => {
    const row: Row = { id: 1, key: "k", request, state: "attempting", tries: 4, at: 0 }
    expect(endOf(row, Exit.interrupt(1), false, 5)).toEqual({
      settlement: { id: 1, outcome: "released", info: "Interrupted" }
    })
    expect(endOf(row, Exit.interrupt(1), true, 5).settlement.outcome).toBe("unknown")
  })
})
