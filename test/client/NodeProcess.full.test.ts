import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { client } from "../harness/Clients.ts"
import { runNode } from "../harness/Process.ts"
import { silentServer } from "../harness/SilentServer.ts"

describe("the transport for Node, in its own process", () => {
  const run = async (source: string, ...flags: ReadonlyArray<string>) => {
    const args = [...flags, "--input-type=module", "--eval", source]
    const { stderr, stdout } = await runNode(args, { cwd: import.meta.dirname })
    return { stdout: stdout.trim(), stderr: stderr.trim() }
  }

  it("loads without a warning, and keeps no process alive", async () => {
    const { stderr, stdout } = await run(`
      import { layer } from "@messaging-topup/core/node"
      import { createClient } from "@messaging-topup/core/promise"
      import * as Effect from "effect/Effect"
      import * as Layer from "effect/Layer"
      createClient({ baseUrl: "https://service.test", token: "t" })
      await Effect.runPromise(Effect.scoped(Layer.build(layer)))
      console.log("built")
    `)
    expect({ stderr, stdout }).toEqual({ stderr: "", stdout: "built" })
  })

  it("can be loaded with require, as all entries can", async () => {
    const { stderr, stdout } = await run(`
      import { createRequire } from "node:module"
      const require = createRequire(import.meta.url)
      const { createClient, InvalidInput } = require("@messaging-topup/core/promise")
      const core = require("@messaging-topup/core")
      const client = createClient({ baseUrl: "https://service.test", token: "t" })
      const error = await client.sendSms({}).catch((error) => error)
      console.log(error instanceof InvalidInput, error instanceof core.InvalidInput, error.sendOutcome)
    `)
    expect({ stderr, stdout }).toEqual({ stderr: "", stdout: "true true not-sent" })
  })

  /** Reads a status of a host that only a proxy knows, with both clients, and counts what the proxy gets. */
  const proxied = `
    import { createServer } from "node:http"
    import { MessagingTopup } from "@messaging-topup/core"
    import { layer } from "@messaging-topup/core/node"
    import { createClient } from "@messaging-topup/core/promise"
    import * as Effect from "effect/Effect"
    import * as Layer from "effect/Layer"
    import * as Redacted from "effect/Redacted"
    const proxy = createServer(({ url }, response) => {
      console.log(url)
      response.writeHead(404).end()
    })
    proxy.listen(0, "127.0.0.1", async () => {
      const options = { baseUrl: "http://service.invalid", allowInsecureHttp: true, readRetries: 0 }
      const print = ({ _tag, setting }) => console.log(setting ?? _tag)
      const promise = async () => createClient({ ...options, token: "t" }).getSmsStatus("m-1")
      const effect = () => Effect.flatMap(MessagingTopup, (service) => service.getSmsStatus("m-1")).pipe(
        Effect.provide(MessagingTopup.layer({ ...options, token: Redacted.make("t") })),
        Effect.provide(layer),
        Effect.runPromise
      )
      for (const read of [promise, effect]) {
        process.env.HTTP_PROXY = "http://127.0.0.1:" + proxy.address().port
        await read().catch(print)
        process.env.HTTP_PROXY = "localhost:3128"
        await read().catch(print)
      }
      proxy.close()
    })`

  it("uses the proxies of the environment where Node's fetch does, and only there", async () => {
    const asked = ["http://service.invalid/sms/m-1", "InvalidResponse", "HTTP_PROXY"]
    expect((await run(proxied, "--use-env-proxy")).stdout.split("\n")).toEqual([...asked, ...asked])
    expect((await run(proxied)).stdout.split("\n")).toEqual(Array(4).fill("ConnectionFailed"))
  })

  it("gives up a proxy that does not respond after 10 seconds, and nothing was sent", async () => {
    const { stderr, stdout } = await run(
      `
      import { createServer } from "node:net"
      import { createClient } from "@messaging-topup/core/promise"
      const proxy = createServer(() => {})
      proxy.listen(0, "127.0.0.1", async () => {
        process.env.HTTPS_PROXY = "http://127.0.0.1:" + proxy.address().port
        const options = { baseUrl: "https://service.invalid", token: "t", readRetries: 0 }
        const client = createClient({ ...options, timeout: 60_000 })
        await client.getSmsStatus("m-1").catch(({ _tag, code }) => console.log(_tag, code))
        process.exit()
      })`,
      "--use-env-proxy"
    )
    expect({ stderr, stdout }).toEqual({
      stderr: "",
      stdout: "ConnectionFailed UND_ERR_HEADERS_TIMEOUT"
    })
  })
})

it("the transport for Node gives up a connection after 10 seconds, and nothing was sent", () =>
  Effect.gen(function* () {
    const { port } = yield* silentServer
    const error = yield* Effect.flatMap(MessagingTopup, (service) =>
      Effect.flip(service.getSmsStatus("m-1"))
    ).pipe(
      Effect.provide(
        client(`http://127.0.0.1:${port}`, NodeTransport.layer, { timeout: "1 minute" })
      )
    )
    expect(error).toMatchObject({ _tag: "ConnectionFailed", code: "UND_ERR_CONNECT_TIMEOUT" })
  }).pipe(Effect.scoped, Effect.runPromise))
