import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup } from "@messaging-topup/core"
import * as SmsToolkit from "@messaging-topup/mcp-server/toolkit"
import { Sandbox } from "@messaging-topup/sandbox"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { bundle } from "../support/Bundle.ts"
import { modelCalling } from "./support/ToolkitClient.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

type Options = Partial<SmsToolkit.ToolkitOptions>

const made = (options: Options = {}) =>
  SmsToolkit.make({ state: { _tag: "Memory" }, ...options })

type Ask = NonNullable<SmsToolkit.ToolCaller["Service"]["ask"]>

const callerWith = (ask?: Ask, principal = "local") => ({
  principal,
  ...(ask === undefined ? {} : { ask })
})

const call = (name: string, params: object) => modelCalling({ id: "1", name, params })

/** Calls a tool for this caller, as a model does. */
const use = Effect.fnUntraced(function* (
  { toolkit }: SmsToolkit.SmsToolkit,
  name: string,
  params: object,
  caller: SmsToolkit.ToolCaller["Service"] = callerWith()
) {
  const { toolResults } = yield* LanguageModel.generateText({ prompt: "Do it.", toolkit }).pipe(
    Effect.provide(call(name, params)),
    Effect.provideService(SmsToolkit.ToolCaller, caller)
  )
  return toolResults[0]?.encodedResult
})

/** A mock server in this process, without sockets, and the service on it. */
const service = Layer.unwrap(
  Effect.map(Sandbox, ({ baseUrl, token }) => MessagingTopup.layer({ baseUrl, token }))
).pipe(Layer.provideMerge(Sandbox.layerInProcess()))

const quiet = Logger.layer([])

const accepted = Effect.flatMap(Sandbox, (sandbox) => sandbox.accepted)

/** Runs with a toolkit on a mock server. */
const scene = <A, E>(
  options: Options,
  body: (
    sms: SmsToolkit.SmsToolkit
  ) => Effect.Effect<A, E, Tool.Handler<SmsToolkit.ToolName> | Sandbox>
) => {
  const all = made(options)
  return body(all).pipe(Effect.provide(Layer.provideMerge(all.layer, Layer.merge(service, quiet))))
}

describe("a caller whose program cannot ask a person", () => {
  it.effect("sends, and the result says that nobody approved", () =>
    scene({}, (all) =>
      Effect.gen(function* () {
        expect(yield* use(all, "send_sms", sms)).toMatchObject({
          outcome: "sent",
          approved_by: "none"
        })
      })
    )
  )

  it.effect("sends nothing where a person must approve", () =>
    scene({ confirm: "require" }, (all) =>
      Effect.gen(function* () {
        expect(yield* use(all, "send_sms", sms)).toMatchObject({
          outcome: "not-sent",
          code: "confirmation_unavailable"
        })
        expect(yield* accepted).toEqual([])
      })
    )
  )
})

const failingAsks: ReadonlyArray<readonly [string, Ask, string]> = [
  ["fails", () => Effect.fail("hunter2"), "confirmation_failed"],
  ["dies", () => Effect.die("hunter2"), "confirmation_failed"],
  [
    "throws",
    () => {
      throw new Error("hunter2")
    },
    "confirmation_failed"
  ],
  ["declines at once", () => Effect.succeed("decline"), "confirmation_unasked"],
  ["approves at once", () => Effect.succeed("accept"), "confirmation_unavailable"],
  ["never answers", () => Effect.never, "approval_expired"]
]

it.effect.each(failingAsks)("nothing is sent if the question %s", ([, ask, code]) =>
  scene({ confirm: "require", confirmTimeout: "5 minutes" }, (all) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(use(all, "send_sms", sms, callerWith(ask)), {
        startImmediately: true
      })
      yield* TestClock.adjust("5 minutes")
      const output = yield* Fiber.join(fiber)
      expect(output).toMatchObject({ outcome: "not-sent", code })
      expect(JSON.stringify(output)).not.toContain("hunter2")
      expect(yield* accepted).toEqual([])
    })
  )
)

it.effect("a call that is interrupted while the person decides sends nothing", () =>
  scene({}, (all) =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<string>()
      const ask: Ask = (question) =>
        Effect.andThen(Deferred.succeed(asked, question), Effect.never)
      const fiber = yield* Effect.forkChild(use(all, "send_sms", sms, callerWith(ask)))
      expect(yield* Deferred.await(asked)).toBe(
        'Send this SMS? To +254700000001, 1 segment: "Hello"'
      )
      yield* Fiber.interrupt(fiber)
      expect(yield* accepted).toEqual([])
    })
  )
)

it.effect("each request has a caller of its own, with duplicates and recent sends of its own", () =>
  scene({}, (all) =>
    Effect.gen(function* () {
      for (const name of ["anna", "ben"]) {
        const own = yield* use(all, "send_sms", sms, callerWith(undefined, name))
        expect(own).toMatchObject({ outcome: "sent", sent_by_this_call: true })
        const listed = yield* use(all, "list_recent_sends", {}, callerWith(undefined, name))
        expect(listed).toMatchObject({ total: 1, data: [{ text_begins: "Hello" }] })
      }
    })
  )
)

it.effect("progress is a preliminary result", () =>
  scene({}, ({ toolkit }) =>
    Effect.gen(function* () {
      const parts = yield* LanguageModel.streamText({ prompt: "Send it.", toolkit }).pipe(
        Stream.runCollect,
        Effect.provide(call("send_sms", sms)),
        Effect.provideService(SmsToolkit.ToolCaller, callerWith())
      )
      expect(parts.filter(({ type }) => type === "tool-result")).toMatchObject([
        { preliminary: true, result: { progress: 1, total: 2, message: /^Sending/ } },
        { preliminary: false, result: { outcome: "sent" } }
      ])
    })
  )
)
