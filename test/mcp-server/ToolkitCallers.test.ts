import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup, OnRequestStart } from "@messaging-topup/core"
import * as SmsToolkit from "@messaging-topup/mcp-server/toolkit"
import { Sandbox } from "@messaging-topup/sandbox"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
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
import * as References from "effect/References"
import { inspect } from "node:util"
import { bundle } from "../support/Bundle.ts"
import { keepSpans } from "../support/Renderings.ts"
import { modelCalling } from "./support/ToolkitClient.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

type Options = Partial<SmsToolkit.ToolkitOptions>

const made = (options: Options = {}) => SmsToolkit.make({ state: { _tag: "Memory" }, ...options })

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

const accepted = Effect.flatMap(Sandbox, (sandbox) => sandbox.messages())

/** A program may have a caller of its own, which is not that of each request. */
const ownCaller = Layer.succeed(SmsToolkit.ToolCaller, callerWith(undefined, "program"))

const surroundings = Layer.mergeAll(service, quiet, ownCaller)

/** Runs with a toolkit on a mock server. */
const scene = <A, E>(
  options: Options,
  body: (
    sms: SmsToolkit.SmsToolkit
  ) => Effect.Effect<A, E, Tool.Handler<SmsToolkit.ToolName> | Sandbox>
) => {
  const all = made(options)
  return body(all).pipe(Effect.provide(Layer.provideMerge(all.layer, surroundings)))
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
      const asked = yield* Deferred.make<void>()
      const caller = callerWith((question) =>
        Effect.andThen(
          Deferred.succeed(asked, undefined),
          Effect.suspend(() => ask(question))
        )
      )
      const fiber = yield* Effect.forkChild(use(all, "send_sms", sms, caller))
      yield* Deferred.await(asked)
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
      const ask: Ask = (question) => Effect.andThen(Deferred.succeed(asked, question), Effect.never)
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

it.effect("two toolkits of one program share neither state nor shutdown", () =>
  scene({}, (all) =>
    Effect.gen(function* () {
      const once = { outcome: "sent", sent_by_this_call: true }
      const other = made()
      expect(yield* use(all, "send_sms", sms)).toMatchObject(once)
      const elsewhere = use(other, "send_sms", sms).pipe(
        Effect.provide(Layer.provide(other.layer, service))
      )
      expect(yield* elsewhere).toMatchObject(once)
      expect(yield* use(all, "send_sms", { ...sms, message: "Later" })).toMatchObject(once)
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
        {
          preliminary: true,
          result: { progress: 1, total: 2, message: expect.stringMatching(/^Sending/) }
        },
        { preliminary: false, result: { outcome: "sent" } }
      ])
    })
  )
)

it.effect("no span and no log has a recipient or a text", () => {
  const { spans, tracer } = keepSpans()
  const logged: Array<unknown> = []
  const logger = Logger.make(({ fiber, message }) => {
    logged.push([message, fiber.getRef(References.CurrentLogAnnotations)])
  })
  return scene({}, (all) =>
    Effect.gen(function* () {
      yield* use(all, "send_sms", sms)
      yield* use(all, "send_sms", { ...sms, message: "" })
      const exported = spans.map(({ attributes, events, name }) => [name, attributes, events])
      const shown = inspect([exported, logged], { depth: 10 })
      expect(shown).toMatch(/LanguageModel\.generateText[^]*<hidden>[^]*sendSms[^]*digest/)
      expect(shown).not.toMatch(/Hello|700000001/)
    }).pipe(Effect.withTracer(tracer), Effect.provide(Logger.layer([logger])))
  )
})

it.effect("a released toolkit has waited for the send in flight", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const started = yield* Deferred.make<void>()
    const slow = Layer.mock(MessagingTopup, {
      sendSms: ({ recipient }) =>
        Effect.gen(function* () {
          const onStart = yield* OnRequestStart
          onStart()
          yield* Deferred.succeed(started, undefined)
          yield* Effect.sleep("20 seconds")
          return { success: true, data: [{ recipient, message_id: "m-1", status: "Queued" }] }
        })
    })
    const all = made()
    const context = yield* Layer.buildWithScope(
      Layer.provide(all.layer, Layer.merge(slow, quiet)),
      scope
    )
    const sending = yield* Effect.forkChild(Effect.provide(use(all, "send_sms", sms), context))
    yield* Deferred.await(started)
    const release = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* TestClock.adjust("19 seconds")
    expect(release.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(sending)).toMatchObject({ outcome: "sent" })
    yield* Fiber.join(release)
  })
)

it.effect("only the named tools are offered, and results name no other", () =>
  scene({ tools: ["send_sms"] }, (all) =>
    Effect.gen(function* () {
      const offered: Array<Tool.Any> = []
      const model = modelCalling(undefined, offered)
      yield* LanguageModel.generateText({ prompt: "Hello", toolkit: all.toolkit }).pipe(
        Effect.provide(model),
        Effect.provideService(SmsToolkit.ToolCaller, callerWith())
      )
      expect(offered.map(({ name }) => name)).toEqual(["send_sms"])
      expect(offered[0]?.description).not.toContain("preview_sms")
      const sent = yield* use(all, "send_sms", sms)
      expect(JSON.stringify(sent)).not.toContain("get_sms_status")
    })
  )
)

it.effect("webhook_url is an argument only where its hosts are named", () =>
  Effect.sync(() => {
    const argumentsOf = ({ toolkit }: SmsToolkit.SmsToolkit) =>
      JSON.stringify(Tool.getJsonSchema(toolkit.tools.send_sms))
    expect(argumentsOf(made())).not.toContain("webhook_url")
    expect(argumentsOf(made({ allowWebhookHosts: ["example.com"] }))).toContain("webhook_url")
  })
)

it.effect("a program merges the toolkit with its own", () =>
  scene({}, (all) =>
    Effect.gen(function* () {
      const Now = Tool.make("now", { success: Schema.String })
      const own = Toolkit.make(Now)
      const toolkit = Toolkit.merge(all.toolkit, own)
      const { toolResults } = yield* LanguageModel.generateText({ prompt: "When?", toolkit }).pipe(
        Effect.provide(
          Layer.merge(call("now", {}), own.toLayer({ now: () => Effect.succeed("noon") }))
        ),
        Effect.provideService(SmsToolkit.ToolCaller, callerWith())
      )
      expect(toolResults).toMatchObject([{ name: "now", result: "noon" }])
    })
  )
)

const wrongOptions: ReadonlyArray<readonly [string, object, RegExp]> = [
  ["maxSegments", { maxSegments: 0 }, /whole number from 1 to 255/],
  ["maxSendsPerHour", { maxSendsPerHour: 1.5 }, /whole number/],
  ["allowRecipients", { allowRecipients: [] }, /give numbers/],
  ["allowRecipients", { allowRecipients: ["+1555, +1666"] }, /none of them empty or with a comma/],
  ["allowRecipients", { allowRecipients: "+1555" }, /give a list/],
  ["allowWebhookHosts", { allowWebhookHosts: ["https://example.com"] }, /host names/],
  ["duplicateWindow", { duplicateWindow: "tomorrow" }, /give a duration/],
  ["confirmTimeout", { confirmTimeout: Infinity }, /give a duration/],
  ["confirm", { confirm: "always" }, /give auto, require or off/],
  ["tools", { tools: ["buy_airtime"] }, /give names out of/],
  ["maxSegment", { maxSegment: 3 }, /no such option; did you mean maxSegments\?$/],
  ["state", { state: undefined }, /where sends are stored/]
]

it.effect.each(wrongOptions)("a wrong %s is named: %j", ([field, options, problem]) =>
  Effect.gen(function* () {
    const { layer } = made(options)
    const error = yield* Effect.flip(
      Effect.scoped(Layer.build(Layer.provide(layer, Layer.merge(service, quiet))))
    )
    expect(error).toMatchObject({ _tag: "InvalidInput", field })
    expect(error.message).toMatch(problem)
    expect(error.message).not.toContain("MESSAGING_TOPUP")
  })
)

it.effect("importing it loads neither the MCP SDK nor an HTTP server", () =>
  Effect.gen(function* () {
    const { imports } = yield* bundle('import "./packages/mcp-server/src/toolkit/Toolkit.ts"', {
      ownCodeOnly: true
    })
    const others = imports.filter((name) => !name.startsWith("effect/"))
    expect([...new Set(others)].toSorted()).toEqual([
      "@messaging-topup/core",
      "@messaging-topup/core/internal",
      "@messaging-topup/journal",
      "@messaging-topup/journal/open",
      "@messaging-topup/sandbox/command-line",
      "node:crypto",
      "node:fs",
      "node:os",
      "node:path"
    ])
  })
)
