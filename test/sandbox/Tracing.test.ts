import { expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { observed } from "../harness/Renderings.ts"
import { call, send } from "../harness/sandbox/Client.ts"

it.live("requests to the sandbox add no spans to the program, and change none", () =>
  Effect.gen(function* () {
    const requests = Effect.gen(function* () {
      const headers = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" }
      expect((yield* send()).status).toBe(202)
      yield* call("/nope", { headers })
      yield* call("/_sandbox/messages", { headers })
      yield* Effect.withSpan(Effect.void, "mine")
    })
    const { spans } = yield* observed(
      requests.pipe(Effect.provide(Sandbox.layer()), Effect.withSpan("outer"))
    )
    expect(spans.map(({ attributes, name }) => [name, [...attributes]])).toEqual([
      ["outer", []],
      ["mine", []]
    ])
  })
)
