import type { SendSmsRequest } from "@messaging-topup/core"
import { approvedParts } from "@messaging-topup/mcp-server/src/send/Approval.ts"
import type { PlannedSms } from "@messaging-topup/mcp-server/src/send/Plan.ts"
import { type Shown, shownFields } from "@messaging-topup/mcp-server/src/send/Question.ts"
import { expectTypeOf, it } from "vitest"

it("a question shows every field of a request, and one more would not compile", () => {
  expectTypeOf(shownFields).toExtend<Record<keyof SendSmsRequest, Shown>>()
  interface WithSixth extends SendSmsRequest {
    readonly sixth?: string
  }
  expectTypeOf(shownFields).not.toExtend<Record<keyof WithSixth, Shown>>()
})

it("an approval knows of every field of an SMS whether it is for it, and one more would not compile", () => {
  expectTypeOf(approvedParts).toExtend<Record<keyof PlannedSms, "follows" | "part">>()
  interface WithPurpose extends PlannedSms {
    readonly purpose?: string
  }
  expectTypeOf(approvedParts).not.toExtend<Record<keyof WithPurpose, string>>()
})
