/**
 * Core decides how a send ended, and single sends, campaigns and the tool `send_sms` follow it, for every
 * shape of its end.
 */
import { describe, expect, it } from "@effect/vitest"
import { endOf as endOfRow } from "@messaging-topup/campaign/src/sending/Outcome.ts"
import * as core from "@messaging-topup/core"
import { outcomeOf } from "../packages/core/src/call/SendEnd.ts"
import { layerMemory, type Row, SendClaims, SendJournal } from "@messaging-topup/journal"
import { factsOf, type Refusal } from "@messaging-topup/mcp-server/src/send/Refusal.ts"
import { endOf as endOfTool } from "@messaging-topup/mcp-server/src/send/SendEnd.ts"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"

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

const request = { recipient: "+15550101234", message: "Hi" }
const row: Row = { id: 1, key: "k", request, state: "attempting", tries: 0, at: 0 }

/** The outcome that the result of the tool has. A tool that fails otherwise says "unknown". */
const outcomeTold = (exit: Exit.Exit<unknown, Refusal>) => {
  if (Exit.isSuccess(exit)) return "sent"
  const refusal = exit.cause.reasons.find(Cause.isFailReason)?.error
  return refusal === undefined ? "unknown" : factsOf(refusal, false).outcome
}

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

  it.effect("and stored of a single send", () =>
    Effect.gen(function* () {
      const journal = yield* SendJournal
      const claims = yield* SendClaims
      for (const { exit, hasStarted, outcome, what } of cases) {
        if (!hasStarted) continue
        const service = Layer.mock(core.MessagingTopup, { sendSms: () => exit })
        yield* Effect.exit(journal.sendOnce(what, request)).pipe(Effect.provide(service))
        const [last] = yield* claims.recent({}, 1)
        expect(last?.key === what ? last.state : "not-sent", what).toBe(outcome)
      }
    }).pipe(Effect.provide(layerMemory))
  )

  it("and stored of a row of a campaign", () => {
    for (const each of cases) {
      const { outcome, what } = each
      const { settlement } = endOfRow(row, endOf(each), 5)
      const isNotSent = settlement.outcome === "not-sent" || settlement.outcome === "released"
      expect(isNotSent ? "not-sent" : settlement.outcome, what).toBe(outcome)
    }
  })

  it("and stored and told by the tool", () => {
    for (const each of cases) {
      const { outcome, what } = each
      const { ended, told } = endOfTool({
        end: endOf(each),
        kind: "first",
        approvedBy: "none",
        canBeAsked: true,
        atMillis: 0,
        first: undefined
      })
      expect(ended.outcome, what).toBe(outcome)
      expect(outcomeTold(Effect.runSyncExit(told)), what).toBe(outcome)
    }
  })
})

it("a row whose request did not start may be claimed again, and that was no try", () => {
  const last: Row = { ...row, tries: 4 }
  const interrupted = { results: [], exit: Exit.interrupt(1) }
  expect(endOfRow(last, { outcome: "not-sent", ...interrupted }, 5)).toEqual({
    settlement: { id: 1, outcome: "released", info: "Interrupted" }
  })
  expect(endOfRow(last, { outcome: "unknown", ...interrupted }, 5).settlement.outcome).toBe(
    "unknown"
  )
})
