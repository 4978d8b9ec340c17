/**
 * Core decides how a send ended, for every shape of its end, and all who send with the journal store that.
 * FailuresOfAll.test.ts has what each of them tells.
 */
import { describe, expect, it } from "@effect/vitest"
import * as core from "@messaging-topup/core"
import { outcomeOf } from "../../packages/core/src/call/SendEnd.ts"
import { storedEndOf } from "@messaging-topup/journal/internal"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

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

describe("every end of a send is decided by core", () => {
  it.effect("from its cause and the start of its request", () =>
    Effect.gen(function* () {
      for (const { exit, hasStarted, outcome, what } of cases) {
        expect(outcomeOf(exit, hasStarted), what).toBe(outcome)
        if (hasStarted) expect((yield* core.endOfSend(exit)).outcome, what).toBe(outcome)
      }
    })
  )

  it("and stored as such", () => {
    for (const each of cases) {
      const { state: outcome } = storedEndOf(endOf(each))
      const stored = outcome === "nothing" || outcome === "rejected" ? "not-sent" : outcome
      expect(stored, each.what).toBe(each.outcome)
    }
  })
})
