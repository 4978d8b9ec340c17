import type {
  StoredMessage as Message,
  StoredRequest as Request
} from "@messaging-topup/sandbox/api"
import type { ActiveFault, MessageFilter as Filter } from "@messaging-topup/sandbox/api"
import type {
  MessageFilter,
  SandboxFault,
  SandboxHandle,
  startSandbox,
  StoredMessage,
  StoredRequest
} from "@messaging-topup/sandbox/promise"
import { describe, expectTypeOf, it } from "vitest"

/** Intersections and inherited fields as one flat object. */
type Flat<T> = T extends object ? { [Key in keyof T]: Flat<T[Key]> } : T

describe("the plain types of startSandbox", () => {
  it("are the types of the control endpoints", () => {
    expectTypeOf<Flat<StoredMessage>>().toEqualTypeOf<Flat<Message>>()
    expectTypeOf<Flat<StoredRequest>>().toEqualTypeOf<Flat<Request>>()
    expectTypeOf<Flat<MessageFilter>>().toEqualTypeOf<Flat<Filter>>()
    expectTypeOf<Flat<SandboxFault>>().toEqualTypeOf<Flat<ActiveFault>>()
  })

  it("are the parameter and return types of the functions", () => {
    expectTypeOf<Awaited<ReturnType<typeof startSandbox>>>().toEqualTypeOf<SandboxHandle>()
    expectTypeOf<SandboxHandle["token"]>().toEqualTypeOf<string>()
  })
})
