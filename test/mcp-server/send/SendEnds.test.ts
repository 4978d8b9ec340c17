import * as core from "@messaging-topup/core"
import { Dispatch } from "@messaging-topup/mcp-server/src/send/Dispatch.ts"
import { InFlight } from "@messaging-topup/mcp-server/src/send/InFlight.ts"
import { Sender } from "@messaging-topup/mcp-server/src/send/Sender.ts"
import { State } from "@messaging-topup/mcp-server/src/send/State.ts"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { expect, it } from "vitest"
import { openRules } from "../support/OpenRules.ts"

// Core decides how a send ended. The state and the caller are told the same, for every shape of its end.

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

const exitOf = (names: Names): Exit.Exit<never, core.SendSmsError> =>
  Exit.failCause(Cause.fromReasons(names.flatMap((name) => reasons[name] ?? [])))

const guards = Sender.layer({ rules: openRules, service: "https://a.example" }).pipe(
  Layer.provide(Dispatch.layer(openRules.duplicateWindow)),
  Layer.provide(InFlight.layer),
  Layer.provideMerge(State.layer({ location: { _tag: "Memory" } }))
)

const caller = { principal: "local", asking: undefined, report: undefined }

it("every end of a send is stored and told as core decides it", () =>
  Effect.gen(function* () {
    const { send } = yield* Sender
    const { use } = yield* State
    for (const names of shapes) {
      const what = names.join()
      const exit = exitOf(names)
      const expected = (yield* core.endOfSend(Effect.suspend(() => exit))).outcome
      const service = Layer.mock(core.MessagingTopup, { sendSms: () => exit })
      const told = yield* Effect.match(
        Effect.provide(
          send(caller, [{ recipient: "+15550101234", message: what }], false),
          service
        ),
        {
          onFailure: ({ outcome }) => outcome,
          onSuccess: (ended) => ("message" in ended ? "asked" : "sent")
        }
      )
      expect(told, what).toBe(expected)
      const [last] = yield* use(({ server }) => server.recent({ limit: 1 }))
      const stored = yield* use(({ server }) => server.count({}))
      expect(expected === "not-sent" ? "not-sent" : last?.state, what).toBe(expected)
      expect(stored, what).toBeGreaterThanOrEqual(expected === "not-sent" ? 0 : 1)
    }
  }).pipe(Effect.provide(Layer.merge(guards, Logger.layer([]))), Effect.scoped, Effect.runPromise))
