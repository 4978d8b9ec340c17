import type { SendSmsRequest } from "@messaging-topup/core"
import { type Shown, shownFields } from "@messaging-topup/mcp-server/src/send/Question.ts"
import { expectTypeOf, it } from "vitest"

it("a question shows every field of a request, and one more would not compile", () => {
  expectTypeOf(shownFields).toExtend<Record<keyof SendSmsRequest, Shown>>()
  interface WithSixth extends SendSmsRequest {
    readonly sixth?: string
  }
  expectTypeOf(shownFields).not.toExtend<Record<keyof WithSixth, Shown>>()
})
