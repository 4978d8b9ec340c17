import type { InvalidInput, MessagingTopup } from "@messaging-topup/core"
import * as SmsToolkit from "@messaging-topup/mcp-server/toolkit"
import type * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { describe, expectTypeOf, it } from "vitest"

const sms = SmsToolkit.make({ state: { _tag: "Memory" } })

describe("a toolkit", () => {
  it("has a layer that fails only for a wrong option, and needs only the service", () => {
    expectTypeOf(sms.layer).toEqualTypeOf<
      Layer.Layer<Tool.Handler<SmsToolkit.ToolName>, InvalidInput, MessagingTopup>
    >()
  })

  it("needs a caller for each request, and adds no error to it", () => {
    const { toolkit } = sms
    const request = LanguageModel.generateText({ prompt: "Send it.", toolkit })
    expectTypeOf<Effect.Error<typeof request>>().toEqualTypeOf<AiError.AiError>()
    expectTypeOf<Effect.Services<typeof request>>().toEqualTypeOf<
      LanguageModel.LanguageModel | SmsToolkit.ToolCaller | Tool.Handler<SmsToolkit.ToolName>
    >()
  })

  it("keeps the names of both when it is merged with another one", () => {
    const merged = Toolkit.merge(sms.toolkit, Toolkit.make(Tool.make("now")))
    expectTypeOf<keyof typeof merged.tools>().toEqualTypeOf<SmsToolkit.ToolName | "now">()
    expectTypeOf<Effect.Services<typeof merged>>().toEqualTypeOf<
      Tool.Handler<SmsToolkit.ToolName> | Tool.Handler<"now">
    >()
  })

  it("needs a place for its state, and knows its tools", () => {
    expectTypeOf<{ readonly maxSegments: 1 }>().not.toExtend<SmsToolkit.ToolkitOptions>()
    expectTypeOf<"send_sms">().toExtend<SmsToolkit.ToolName>()
    expectTypeOf<"buy_airtime">().not.toExtend<SmsToolkit.ToolName>()
  })
})

it("a caller may be without a person", () => {
  expectTypeOf<{ readonly principal: string }>().toExtend<SmsToolkit.ToolCaller["Service"]>()
  expectTypeOf<SmsToolkit.Decision>().toEqualTypeOf<"accept" | "cancel" | "decline">()
})
