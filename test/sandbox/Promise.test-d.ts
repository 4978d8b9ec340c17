import type {
  MessageFilter,
  SandboxFault,
  StoredMessage,
  StoredRequest
} from "@messaging-topup/sandbox"
import type * as Api from "@messaging-topup/sandbox/api"
import type { SandboxHandle, startSandbox } from "@messaging-topup/sandbox/promise"
import { describe, expectTypeOf, it } from "vitest"

/** Intersections and inherited fields as one flat object. */
type Flat<T> = T extends object ? { [Key in keyof T]: Flat<T[Key]> } : T

describe("the plain types of the sandbox", () => {
  it("are the types of the control endpoints", () => {
    expectTypeOf<Flat<StoredMessage>>().toEqualTypeOf<Flat<typeof Api.StoredMessage.Type>>()
    expectTypeOf<Flat<StoredRequest>>().toEqualTypeOf<Flat<typeof Api.StoredRequest.Type>>()
    expectTypeOf<Flat<MessageFilter>>().toEqualTypeOf<Flat<typeof Api.MessageFilter.Type>>()
    expectTypeOf<Flat<SandboxFault>>().toEqualTypeOf<Flat<typeof Api.ActiveFault.Type>>()
  })

  it("are the parameter and return types of startSandbox", () => {
    expectTypeOf<Awaited<ReturnType<typeof startSandbox>>>().toEqualTypeOf<SandboxHandle>()
    expectTypeOf<SandboxHandle["token"]>().toEqualTypeOf<string>()
  })
})
