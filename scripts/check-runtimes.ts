/**
 * Runs the packed promise client on every supported runtime, and checks the outcomes that it reports and the
 * POSTs that the server counts. If npm cannot install a runtime here, the check prints that it skips it.
 */
import { build } from "esbuild"
import { execFile, spawnSync } from "node:child_process"
import { once } from "node:events"
import { copyFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Readable } from "node:stream"
import { buffer, json } from "node:stream/consumers"
import { pathToFileURL } from "node:url"
import { isDeepStrictEqual, promisify } from "node:util"
import { createZstdCompress } from "node:zlib"
import { install } from "../bench/packages.ts"
import { faults, runtimes } from "../docs/runtimes.ts"
import { bounded, packPackages, tarballs, temporaryFolder } from "./support.ts"

const project = temporaryFolder()
install(project, tarballs(packPackages().filter(({ name }) => name === "@messaging-topup/core")))
copyFileSync(join(import.meta.dirname, "runtimes.js"), join(project, "main.js"))

const posts: Array<string> = []

/** 1.4 GB in 45 KB. */
const bomb = await buffer(
  Readable.from(Array.from({ length: 1400 }, () => Buffer.alloc(1e6))).pipe(createZstdCompress())
)

/** Does to a POST what its text says. */
const makeServer = () => {
  const server = createServer((request, response) => {
    const { socket } = request
    const respond = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    if (request.url?.includes("zstd") === true) {
      // Nobody asked for this coding.
      response.writeHead(200, { "content-encoding": "zstd" }).end(bomb)
      return
    }
    if (request.method === "GET") {
      respond(200, { category: [{ bundle_id: "b-1" }] })
      return
    }
    void json(request).then((body) => {
      const { message } = body as { readonly message: string }
      posts.push(message)
      // No runtime limits the memory that decompressing zstd takes.
      if (request.headers["accept-encoding"]?.includes("zstd") === true) posts.push("zstd")
      if (message === "500") return respond(500, { success: false, error: { status: 500 } })
      if (message === "end") return socket.end()
      if (message === "cut") return socket.end("HTTP/1.1 202 Acc")
      if (message === "stopped") server.close()
      if (message === "stopped" || message === "reset") return socket.resetAndDestroy()
      if (message !== "accepted") return undefined
      const data = [{ recipient: "+15550100123", message_id: "m-1", status: "any" }]
      return respond(202, { success: true, status: 202, message: "Accepted", data })
    })
  })
  return server
}

const listen = async (listener: Server): Promise<string> => {
  await once(listener.listen(0, "127.0.0.1"), "listening")
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
}

const refusing = createServer()
const refusingUrl = await listen(refusing)
refusing.close()

/** Runs the program with this argument, and returns its output. */
type Run = (argument: string) => Promise<string>

const program =
  (command: string, ...args: ReadonlyArray<string>): Run =>
  async (argument) => {
    const path = join(project, "node_modules", command)
    const options = { cwd: project, timeout: 60_000 }
    return (await promisify(execFile)(path, [...args, "main.js", argument], options)).stdout
  }

const onWorkerd: Run = async (argument) => {
  const contents = `import { scenario } from "./main.js"
    export default { fetch: async () => Response.json(await scenario(${argument})) }`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: project },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"]
  })
  const path = pathToFileURL(join(project, "node_modules/miniflare/dist/src/index.js")).href
  const { Miniflare } = await import(path)
  const miniflare = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text,
    compatibilityDate: "2026-01-01"
  })
  const text = await (await miniflare.dispatchFetch("http://localhost/")).text()
  await miniflare.dispose()
  return text
}

const node = (version: string) => ({
  specifier: `node-${version}@npm:node-linux-${process.arch}@${version}`,
  run: program(`node-${version}/bin/node`)
})

const bun = (version: string) => ({
  specifier: `bun-${version}@npm:bun@${version}`,
  run: program(`bun-${version}/bin/bun.exe`)
})

/** The permissions that docs/runtimes.md names. */
const denoPermissions = [
  "--no-prompt",
  "--allow-net",
  "--allow-env=UNDICI_NO_WASM_SIMD,UNDICI_USE_MILO,JEST_WORKER_ID"
]

const deno = (version: string) => ({
  specifier: `deno-${version}@npm:deno@${version}`,
  run: program(`deno-${version}/bin.cjs`, "run", ...denoPermissions, "--node-modules-dir=manual")
})

/** By runtime, what npm installs and how it runs the program. */
const starts = {
  "Node 22.19": node("22.19.0"),
  "Node 24.21": node("24.21.0"),
  "Node 26.10": node("26.10.0"),
  "Bun 1.3.13": bun("1.3.13"),
  "Bun 1.4.5": bun("1.4.5"),
  "Deno 2.8.0": deno("2.8.0"),
  "Deno 2.9.6": deno("2.9.6"),
  workerd: { specifier: "miniflare@4.20260730.0", run: onWorkerd }
} satisfies Readonly<Record<keyof typeof runtimes, object>>

const faultsOf = Object.entries(faults)
const outcomes = Object.fromEntries(faultsOf.map(([text, { outcome }]) => [text, outcome]))
const posted = faultsOf.flatMap(([text, fault]) => [
  "accepted",
  ...Array.from({ length: fault.posts }, () => text)
])

for (const [name, { httpClient, refused }] of Object.entries(runtimes)) {
  const { run, specifier } = starts[name as keyof typeof runtimes]
  const args = ["install", "--no-audit", "--no-fund", "--no-save", specifier]
  if (spawnSync("npm", args, { ...bounded, cwd: project }).status !== 0) {
    console.log(`${name}: skipped, npm cannot install it here`)
    continue
  }
  posts.length = 0
  const server = makeServer()
  const baseUrl = await listen(server)
  const text = await run(JSON.stringify({ baseUrl, refusingUrl, faults: Object.keys(faults) }))
  server.close()
  server.closeAllConnections()
  // Another `fetch` than the platform's may have tried twice.
  const replaced = httpClient === "fetch" ? "unknown" : refused
  const zstd = { error: "InvalidResponse", isBounded: true }
  const expected = { accepted: "sent", ...outcomes, refused, replaced, bundles: 1, zstd }
  if (!isDeepStrictEqual(JSON.parse(text), expected) || !isDeepStrictEqual(posts, posted)) {
    throw new Error(`${name}: the client reported ${text}, and the server got ${posts.join(", ")}`)
  }
  console.log(`${name}: every send made one POST, and its outcome is right`)
}
