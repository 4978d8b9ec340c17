import { spawnSync } from "node:child_process"
import { describe, expect, it } from "vitest"

describe("the transport for Node, in its own process", () => {
  const run = (source: string, ...flags: ReadonlyArray<string>) => {
    const { stderr, stdout } = spawnSync(
      process.execPath,
      [...flags, "--input-type=module", "--eval", source],
      { encoding: "utf8", cwd: new URL(".", import.meta.url), timeout: 20_000 }
    )
    return { stdout: stdout.trim(), stderr: stderr.trim() }
  }

  it("on Bun, the layers and createClient say what to use instead", () => {
    const { stderr, stdout } = run(`
      globalThis.Bun = { version: "1.4.5" }
      const { layer, layerDispatcher } = await import("@messaging-topup/core/node")
      const { createClient } = await import("@messaging-topup/core/promise")
      const Effect = await import("effect/Effect")
      const Layer = await import("effect/Layer")
      for (const each of [layer, layerDispatcher(undefined)]) {
        const error = Effect.runSync(Effect.flip(Effect.scoped(Layer.build(each))))
        console.log(error.message)
      }
      try {
        createClient({ baseUrl: "https://service.test", token: "t" })
      } catch (error) {
        console.log(error.message)
      }
    `)
    expect(stderr).toBe("")
    const advice =
      "Change transport: undici sends nothing on Bun: use the layer of @messaging-topup/core/fetch"
    expect(stdout.split("\n")).toEqual([advice, advice, advice])
  })

  /**
   * Lists bundles, one of them invalid, and counts the functions that are compiled from text
   * meanwhile.
   */
  const listing = (entry: string) => `
    import { createServer } from "node:http"
    import { MessagingTopup } from "@messaging-topup/core"
    import { layer } from "@messaging-topup/core/${entry}"
    import * as Effect from "effect/Effect"
    import * as Layer from "effect/Layer"
    import * as Redacted from "effect/Redacted"
    let made = 0
    globalThis.Function = new Proxy(Function, {
      apply: (make, self, parts) => {
        // One function only tests whether code generation is allowed.
        made += parts.length === 1 ? 0 : 1
        return Reflect.apply(make, self, parts)
      }
    })
    const body = '{"category":[{"bundle_id":"b-1","price":null},{"bundle_id":null}]}'
    const server = createServer((_, response) => response.end(body))
    server.listen(0, "127.0.0.1", async () => {
      const baseUrl = "http://127.0.0.1:" + server.address().port
      const service = MessagingTopup.layer({ baseUrl, token: Redacted.make("t") })
      const list = Effect.flatMap(MessagingTopup, (each) => each.listDataBundles())
      const bundles = await Effect.runPromise(Effect.provide(list, Layer.provide(service, layer)))
      console.log(JSON.stringify(bundles.category), bundles.unreadable.length, made > 0)
      server.close()
    })
  `

  const forbidden = "--disallow-code-generation-from-strings"

  it.each([
    ["node", [], true],
    ["node", [forbidden], false],
    ["fetch", [], false]
  ] as const)("a bundle list over /%s with %o is read, compiled: %s", (entry, flags, compiled) => {
    const { stderr, stdout } = run(listing(entry), ...flags)
    expect(stderr).toBe("")
    expect(stdout).toBe(`[{"bundle_id":"b-1"}] 1 ${compiled}`)
  })

  it("the import of /node does not load undici, and building the layer does, without a warning", () => {
    const { stderr, stdout } = run(`
      import { createRequire } from "node:module"
      import { layer } from "@messaging-topup/core/node"
      import * as Effect from "effect/Effect"
      import * as Layer from "effect/Layer"
      const { cache } = createRequire(import.meta.url)
      const isLoaded = () => Object.keys(cache).some((path) => path.includes("/undici/"))
      console.log(isLoaded())
      await Effect.runPromise(Effect.scoped(Layer.build(layer)))
      console.log(isLoaded())
    `)
    expect(stderr).toBe("")
    expect(stdout.split("\n")).toEqual(["false", "true"])
  })

  const proxied = `
    import { createServer } from "node:http"
    import { createClient } from "@messaging-topup/core/promise"
    const proxy = createServer(({ url }, response) => {
      console.log(url)
      response.writeHead(404).end()
    })
    proxy.listen(0, "127.0.0.1", async () => {
      process.env.HTTP_PROXY = "http://127.0.0.1:" + proxy.address().port
      const options = { baseUrl: "http://service.invalid", token: "t", allowInsecureHttp: true }
      const failed = ({ _tag }) => console.log(_tag)
      await createClient({ ...options, readRetries: 0 }).getSmsStatus("m-1").catch(failed)
      proxy.close()
      process.env.HTTP_PROXY = "localhost:3128"
      const { setting } = await Promise.try(createClient, { ...options, transport: { proxy: "env" } })
        .catch((error) => error)
      console.log(setting)
    })`

  it("/promise uses the proxies of the environment where Node's fetch does, and only there", () => {
    const refused = "HTTP_PROXY or HTTPS_PROXY"
    const asked = ["http://service.invalid/sms/m-1", "InvalidResponse", refused]
    expect(run(proxied, "--use-env-proxy").stdout.split("\n")).toEqual(asked)
    expect(run(proxied).stdout.split("\n")).toEqual(["ConnectionFailed", refused])
  })
})
