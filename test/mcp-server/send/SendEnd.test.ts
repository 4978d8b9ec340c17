import {
  ConnectionFailed,
  ConnectionLost,
  endOfSend,
  InvalidResponse,
  type SendSmsError
} from "@messaging-topup/core"
import { factsOf, type Refusal } from "@messaging-topup/mcp-server/src/send/Refusal.ts"
import { endOf } from "@messaging-topup/mcp-server/src/send/SendEnd.ts"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import fc from "fast-check"
import { expect, it } from "vitest"
import { runs } from "../../support/Runs.ts"

const operation = "sendSms" as const

/** Errors that say "not-sent", "unknown" and "sent", and what says nothing about the send. */
const reasons: ReadonlyArray<Cause.Reason<SendSmsError>> = [
  Cause.makeFailReason(new ConnectionFailed({ operation })),
  Cause.makeFailReason(new ConnectionLost({ operation })),
  Cause.makeFailReason(new InvalidResponse({ operation, status: 202, problem: "", body: "" })),
  Cause.makeDieReason(new Error("a defect")),
  Cause.makeInterruptReason(1)
]

/** The outcome that the result of the tool has. A tool that fails otherwise says "unknown". */
const outcomeTold = (exit: Exit.Exit<unknown, Refusal>) => {
  if (Exit.isSuccess(exit)) return "sent"
  const refusal = exit.cause.reasons.find(Cause.isFailReason)?.error
  return refusal === undefined ? "unknown" : factsOf(refusal, false).outcome
}

it("stores and tells what core decides, whatever is in the cause", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...reasons), { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      (list, hasStarted) => {
        const exit = Exit.failCause(Cause.fromReasons(list))
        const { outcome } = endOfSend(exit, hasStarted)
        const end = endOf({
          exit,
          hasStarted,
          messages: 1,
          kind: "first",
          canBeAsked: true,
          atMillis: 0,
          first: undefined
        })
        expect(end.ended.outcome).toBe(outcome)
        expect(outcomeTold(Effect.runSyncExit(end.told))).toBe(outcome)
      }
    ),
    { numRuns: runs(2_000) }
  )
})
