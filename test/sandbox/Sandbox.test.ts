import { describe, expect, it } from "@effect/vitest"
import { Sandbox, ListenFailed } from "@messaging-topup/sandbox"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { inspect } from "node:util"
import { call, raw, rawSend, send } from "./support/Client.ts"
import { sandboxTest } from "./support/SandboxTest.ts"

class One extends Context.Service<One, Sandbox["Service"]>()("test/One") {}
class Two extends Context.Service<Two, Sandbox["Service"]>()("test/Two") {}

const sandboxAs = <Self>(key: Context.Service<Self, Sandbox["Service"]>) =>
  Layer.provide(Layer.effect(key, Sandbox), Sandbox.layer())

describe("layer", () => {
  it.live("separates two sandboxes of one program", () =>
    Effect.gen(function* () {
      const one = yield* One
      const two = yield* Two
      yield* Effect.provideService(send(), Sandbox, one)
      expect(one.baseUrl).not.toBe(two.baseUrl)
      expect(Redacted.value(one.token)).not.toBe(Redacted.value(two.token))
      expect(yield* one.messages()).toHaveLength(1)
      expect(yield* two.messages()).toHaveLength(0)
      expect(yield* two.requests()).toHaveLength(0)
    }).pipe(Effect.provide(Layer.mergeAll(sandboxAs(One), sandboxAs(Two))))
  )

  it.live("uses the given port, host and token", () =>
    Effect.gen(function* () {
      const free = yield* Effect.provide(Sandbox, Sandbox.layer())
      const port = Number(new URL(free.baseUrl).port)
      const options = { port, host: "localhost", token: Redacted.make("my-token") }
      yield* Effect.gen(function* () {
        const { baseUrl } = yield* Sandbox
        expect(baseUrl).toBe(`http://localhost:${port}`)
        const headers = { authorization: "Bearer my-token" }
        expect((yield* call("/v1/list-bundles", { headers })).status).toBe(200)
      }).pipe(Effect.provide(Sandbox.layer(options)))
    })
  )

  sandboxTest(
    "hides its token when it is printed",
    Effect.gen(function* () {
      const { token } = yield* Sandbox
      expect(inspect(token)).not.toContain(Redacted.value(token))
      expect(Redacted.value(token)).toMatch(/^sandbox-/)
    })
  )

  sandboxTest(
    "fails if the port is in use, and says what to do",
    Effect.gen(function* () {
      const port = Number(new URL((yield* Sandbox).baseUrl).port)
      const error = yield* Effect.flip(Effect.scoped(Layer.build(Sandbox.layer({ port }))))
      expect(error).toBeInstanceOf(ListenFailed)
      expect(error).toMatchObject({ code: "EADDRINUSE", port, host: "127.0.0.1" })
      expect(error.message).toContain("choose another port")
    })
  )

  it.live("closes with its scope, also idle and waiting connections", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(Sandbox.layer(), scope)
      const { setFault, until } = Context.get(context, Sandbox)
      yield* Effect.provide(send(), context)
      yield* setFault({ fault: "NoResponse" })
      const waiting = yield* Effect.forkChild(
        Effect.provide(
          Effect.flatMap(rawSend, (request) => raw(request)),
          context
        )
      )
      yield* until(({ requests }) => requests.length >= 2)
      yield* Scope.close(scope, Exit.void)
      expect(yield* Fiber.join(waiting)).toMatchObject({ text: "", end: "closed" })
      expect((yield* Effect.flip(Effect.provide(send(), context))).code).toBe("ECONNREFUSED")
    })
  )
})
