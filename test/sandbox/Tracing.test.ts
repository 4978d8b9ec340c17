import { expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import { call, send } from "../harness/sandbox/Client.ts"

/** Records the spans of a program, and what is written on them. */
const recording = () => {
  const spans: Array<string> = []
  const tracer = Tracer.make({
    span: (options) => {
      spans.push(options.name)
      const span = new Tracer.NativeSpan(options)
      const attribute = span.attribute.bind(span)
      span.attribute = (key, value) => {
        spans.push(`${options.name}: ${key}`)
        attribute(key, value)
      }
      return span
    }
  })
  return { spans, tracer }
}

it.live("requests to the sandbox add no spans to the program, and change none", () =>
  Effect.gen(function* () {
    const { spans, tracer } = recording()
    yield* Effect.gen(function* () {
      const headers = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" }
      expect((yield* send()).status).toBe(202)
      yield* call("/nope", { headers })
      yield* call("/_sandbox/messages", { headers })
      yield* Effect.withSpan(Effect.void, "mine")
    }).pipe(
      Effect.provide(Sandbox.layer()),
      Effect.withSpan("outer"),
      Effect.provide(Layer.succeed(Tracer.Tracer, tracer))
    )
    expect(spans).toEqual(["outer", "mine"])
  })
)
