/** How a program starts and ends a sandbox. */
import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup } from "@messaging-topup/core"
import { ListenFailed, Sandbox } from "@messaging-topup/sandbox"
import { type SandboxHandle, startSandbox } from "@messaging-topup/sandbox/promise"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { inspect } from "node:util"
import { call, send, sms } from "../harness/sandbox/Client.ts"
import { servers } from "../harness/sandbox/Faces.ts"

const portOf = (baseUrl: string) => Number(new URL(baseUrl).port)

for (const [name, server] of Object.entries(servers)) {
  describe(`with ${name}`, () => {
    it.live("is a server of its own, on a free port, with a random token that is not printed", () =>
      Effect.gen(function* () {
        const [one, two] = yield* Effect.all([
          Layer.build(Layer.fresh(server())),
          Layer.build(Layer.fresh(server()))
        ])
        yield* Effect.provide(send(), one)
        const tokens = new Set<string>()
        for (const [context, received] of [
          [one, 1],
          [two, 0]
        ] as const) {
          const { baseUrl, messages, requests, token } = Context.get(context, Sandbox)
          expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
          expect(Redacted.value(token)).toMatch(/^sandbox-[\da-f]{24}$/)
          expect(inspect(token)).not.toContain(Redacted.value(token))
          tokens.add(Redacted.value(token))
          expect([yield* messages(), yield* requests()].map(({ length }) => length)).toEqual([
            received,
            received
          ])
        }
        expect(tokens.size).toBe(2)
      })
    )

    it.live("uses the given port, host and token", () =>
      Effect.gen(function* () {
        const port = portOf((yield* Effect.provide(Sandbox, server())).baseUrl)
        yield* Effect.gen(function* () {
          const { baseUrl } = yield* Sandbox
          expect(baseUrl).toBe(`http://localhost:${port}`)
          const headers = { authorization: "Bearer my-token" }
          expect((yield* call("/v1/list-bundles", { headers })).status).toBe(200)
        }).pipe(
          Effect.provide(server({ port, host: "localhost", token: Redacted.make("my-token") }))
        )
      })
    )

    it.live("fails if the port is in use, and says what to do", () =>
      Effect.gen(function* () {
        const port = portOf((yield* Sandbox).baseUrl)
        const error = yield* Effect.flip(Effect.scoped(Layer.build(server({ port }))))
        expect(error).toBeInstanceOf(ListenFailed)
        expect(error).toMatchObject({ code: "EADDRINUSE", port, host: "127.0.0.1" })
        expect(error.message).toContain("choose another port")
      }).pipe(Effect.provide(server()))
    )

    it.live("closes also idle and waiting connections", () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const context = yield* Layer.buildWithScope(server(), scope)
        const { setFault, until } = Context.get(context, Sandbox)
        yield* Effect.provide(send(), context)
        yield* setFault({ fault: "NoResponse" })
        const failed = Effect.provide(Effect.flip(send()), context)
        const waiting = yield* Effect.forkChild(failed)
        yield* until(({ requests }) => requests.length >= 2)
        yield* Scope.close(scope, Exit.void)
        expect((yield* Fiber.join(waiting)).code).toBe("UND_ERR_SOCKET")
        expect((yield* failed).code).toBe("ECONNREFUSED")
      })
    )
  })
}

it.effect("a sandbox in the process of a program does not serve other hosts", () =>
  Effect.gen(function* () {
    const { requests, token } = yield* Sandbox
    const other = yield* MessagingTopup.make({ baseUrl: "https://elsewhere.invalid", token })
    expect(yield* Effect.flip(other.sendSms(sms))).toMatchObject({ code: "ENOTFOUND" })
    expect(yield* requests()).toEqual([])
  }).pipe(Effect.provide(Sandbox.layerInProcess()))
)

describe("startSandbox", () => {
  const failed = (promise: Promise<unknown>) =>
    promise.then(
      () => "resolved",
      (error: unknown) => error
    )

  it("rejects on the stack of its caller", async () => {
    await using sandbox = await startSandbox()
    const error = await failed(startSandbox({ port: portOf(sandbox.baseUrl) }))
    expect(error).toMatchObject({
      _tag: "ListenFailed",
      stack: expect.stringContaining("Start.test.ts")
    })
  })

  const badOptions = [
    [{ port: "8080" }, "port: "],
    [{ port: 65536 }, "port: "],
    [{ host: "" }, "host: "],
    [{ token: "two words" }, "token: Expected visible ASCII characters"],
    [{ token: "" }, "token: "],
    [{ maxMessages: 0 }, "maxMessages: "],
    [{ maxMessages: Number.NaN }, "maxMessages: "],
    [{ maxRequests: -1 }, "maxRequests: "],
    [{ maxRequests: 1.5 }, "maxRequests: "],
    [{ maxMessage: 5 }, "maxMessage: "],
    [null, "Expected object"]
  ] as const
  it("rejects invalid options, and names the field", async () => {
    for (const [options, problem] of badOptions) {
      expect(await failed(Reflect.apply(startSandbox, undefined, [options]))).toMatchObject({
        _tag: "InvalidInput",
        message: expect.stringContaining(problem)
      })
    }
  })

  it("treats undefined options as absent", async () => {
    await using sandbox = await startSandbox({ port: undefined, token: undefined })
    expect(sandbox.token).toMatch(/^sandbox-/)
  })

  it("has the tags of its errors", async () => {
    await using sandbox = await startSandbox()
    const rejected = (name: keyof SandboxHandle, ...args: ReadonlyArray<unknown>) =>
      failed(Reflect.apply(Object(sandbox[name]), undefined, args))
    for (const [rejection, tag] of [
      [rejected("setFault"), "InvalidInput"],
      [rejected("messages", { text: 5 }), "InvalidInput"],
      [rejected("setStatus", undefined, "X"), "InvalidInput"],
      [rejected("setStatus", "nope", "X"), "UnknownMessage"]
    ] as const) {
      expect(await rejection).toMatchObject({ _tag: tag })
    }
  })

  it("ends the waits that are left when it is closed", async () => {
    const sandbox = await startSandbox()
    const waiting = failed(sandbox.until(() => false))
    await sandbox.close()
    expect(await waiting).toMatchObject({ _tag: "SandboxClosed" })
    expect(await failed(sandbox.until(() => false))).toMatchObject({ _tag: "SandboxClosed" })
  })

  it("hands out copies: a program may change what it gets", async () => {
    await using sandbox = await startSandbox()
    const headers = { authorization: `Bearer ${sandbox.token}`, "content-type": "application/json" }
    for (const message of ["ça", "two"]) {
      const body = JSON.stringify({ recipient: "+15551234567", message })
      await fetch(`${sandbox.baseUrl}/sms/send`, { method: "POST", headers, body })
    }
    const id = (await sandbox.messages())[0]?.message_id ?? ""
    const status = await sandbox.setStatus(id, "SANDBOX_SENT")
    const before = JSON.stringify([await sandbox.messages(), await sandbox.requests()])
    const spoil = (value: object): void => {
      for (const [key, inner] of Object.entries(value)) {
        if (typeof inner === "object") spoil(inner)
        Reflect.set(value, key, "spoilt")
      }
      if (Array.isArray(value)) value.length = 0
    }
    const kept = await sandbox.until(({ messages, requests }) => {
      for (const list of [messages, requests]) Reflect.apply(Array.prototype.reverse, list, [])
      return true
    })
    for (const value of [status, await sandbox.messages(), await sandbox.requests(), kept]) {
      spoil(value)
    }
    expect(JSON.stringify([await sandbox.messages(), await sandbox.requests()])).toBe(before)
  })

  it("calls a webhook on this machine with the given body, each time the status changes", async () => {
    const bodies: Array<string> = []
    const receiver = createServer((request, response) => {
      text(request).then((body) => {
        bodies.push(body)
        response.end()
      }, expect.fail)
    })
    await once(receiver.listen(0), "listening")
    const { port } = Object(receiver.address())
    await using sandbox = await startSandbox({
      webhookBody: '{"id":"{message_id}","state":"{status}","x":"{x}"}'
    })
    const headers = { authorization: `Bearer ${sandbox.token}`, "content-type": "application/json" }
    for (const host of ["127.0.0.1", "0.0.0.0"]) {
      const body = JSON.stringify({
        recipient: "+15551234567",
        message: "Hi",
        webhook_url: `http://${host}:${port}/hook`
      })
      await fetch(`${sandbox.baseUrl}/sms/send`, { method: "POST", headers, body })
    }
    const [other, own] = (await sandbox.messages()).map(({ message_id }) => message_id)
    // The other one is the address of no loopback interface, although it would arrive.
    await sandbox.setStatus(other ?? "", "LOST")
    await fetch(`${sandbox.baseUrl}/sms/${own}`, { headers })
    await expect.poll(() => bodies).toHaveLength(1)
    await sandbox.setStatus(own ?? "", 'LOST "AT" SEA')
    await expect.poll(() => bodies).toHaveLength(2)
    expect(bodies.map((body) => JSON.parse(body))).toEqual([
      { id: own, state: "SANDBOX_SENT", x: "{x}" },
      { id: own, state: 'LOST "AT" SEA', x: "{x}" }
    ])
    receiver.close()
  })

  it("closes once", async () => {
    const sandbox = await startSandbox()
    await Promise.all([sandbox.close(), sandbox.close(), sandbox[Symbol.asyncDispose]()])
    await sandbox.clearFault()
    await sandbox.reset()
    expect(await failed(fetch(sandbox.baseUrl))).toMatchObject({ cause: { code: "ECONNREFUSED" } })
  })

  it("has no Effect types in its declarations", () => {
    const types = readFileSync("packages/sandbox/src/Types.ts", "utf8")
    expect(types).not.toMatch(/^(import|export) .* from /m)
  })
})
