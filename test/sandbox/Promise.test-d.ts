import type { SandboxHandle, startSandbox } from "@messaging-topup/sandbox/promise"
import type { Sandbox } from "@messaging-topup/sandbox"
import type * as Effect from "effect/Effect"
import { describe, expectTypeOf, it } from "vitest"

describe("the handle of startSandbox", () => {
  it("is what startSandbox returns", () => {
    expectTypeOf<Awaited<ReturnType<typeof startSandbox>>>().toEqualTypeOf<SandboxHandle>()
    expectTypeOf<SandboxHandle["token"]>().toEqualTypeOf<string>()
  })

  it("has the members of the Effect service, with the same parameters", () => {
    type Service = Sandbox["Service"]
    expectTypeOf<keyof Service>().toEqualTypeOf<
      Exclude<keyof SandboxHandle, "close" | typeof Symbol.asyncDispose>
    >()
    type Called = {
      [K in keyof Service]: Service[K] extends (...args: never) => unknown ? K : never
    }[keyof Service]
    expectTypeOf<{ [K in Called]: Parameters<SandboxHandle[K]> }>().toEqualTypeOf<{
      [K in Called]: Parameters<Service[K]>
    }>()
    type Promised<T> = T extends Effect.Effect<infer A, unknown> ? Promise<A> : never
    expectTypeOf<{ [K in Called]: ReturnType<SandboxHandle[K]> }>().toEqualTypeOf<{
      [K in Called]: Promised<ReturnType<Service[K]>>
    }>()
  })
})
