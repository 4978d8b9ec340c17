/**
 * Runs the packed promise client on every supported runtime, and checks the outcomes that it reports and the
 * POSTs that the server counts. If npm cannot install a runtime here, the check prints that it skips it.
 */
import { build } from "esbuild"
import { execFile, spawnSync } from "node:child_process"
import { once } from "node:events"
import { copyFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { json } from "node:stream/consumers"
import { pathToFileURL } from "node:url"
import { isDeepStrictEqual, promisify } from "node:util"
import { install } from "../bench/packages.ts"
import { faults, runtimes } from "../docs/runtimes.ts"
import { bounded, packPackages, tarballs, temporaryFolder } from "./support.ts"

const project = temporaryFolder()
install(project, tarballs(packPackages().filter(({ name }) => name === "@messaging-topup/core")))
copyFileSync(join(import.meta.dirname, "runtimes.js"), join(project, "main.js"))

const posts: Array<string> = []

/** Does to a POST what its text says. */
const server = createServer((request, response) => {
  const respond = (status: number, body: object) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  if (request.method === "GET") {
    respond(200, { category: [{ bundle_id: "b-1" }] })
    return
  }
  void json(request).then((body) => {
    const { message } = body as { readonly message: string }
    posts.push(message)
    if (message === "reset") return request.socket.resetAndDestroy()
    if (message === "500") return respond(500, { success: false, error: { status: 500 } })
    if (message !== "accepted") return undefined
    const data = [{ recipient: "+15550100123", message_id: "m-1", status: "any" }]
    return respond(202, { success: true, status: 202, message: "Accepted", data })
  })
})

const listen = async (listener: typeof server): Promise<string> => {
  await once(listener.listen(0, "127.0.0.1"), "listening")
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
}

const baseUrl = await listen(server)
const refusing = createServer()
const refusingUrl = await listen(refusing)
refusing.close()

const textOf = async (command: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const program = join(project, "node_modules", command)
  const run = [...args, "main.js", baseUrl, refusingUrl]
  return (await promisify(execFile)(program, run, { cwd: project, timeout: 60_000 })).stdout
}

const onWorkerd = async (): Promise<string> => {
  const contents = `import { scenario } from "./main.js"
    const { baseUrl, refusingUrl } = ${JSON.stringify({ baseUrl, refusingUrl })}
    export default { fetch: async () => Response.json(await scenario(baseUrl, refusingUrl)) }`
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
  run: () => textOf(`node-${version}/bin/node`)
})

/** By runtime, what npm installs and how it runs the program. */
const starts = {
  "Node 22": node("22.23.3"),
  "Node 24": node("24.21.0"),
  "Node 26": node("26.10.0"),
  Bun: { specifier: "bun@1.4.5", run: () => textOf(".bin/bun") },
  Deno: {
    specifier: "deno@2.9.6",
    run: () => textOf(".bin/deno", "run", "--allow-all", "--node-modules-dir=manual")
  },
  workerd: { specifier: "miniflare@4.20260730.0", run: onWorkerd }
} satisfies Readonly<Record<keyof typeof runtimes, object>>

const faultsOf = Object.entries(faults)
const outcomes = Object.fromEntries(faultsOf.map(([text, { outcome }]) => [text, outcome]))
const posted = faultsOf.flatMap(([text, fault]) => Array.from({ length: fault.posts }, () => text))

for (const [name, { refused }] of Object.entries(runtimes)) {
  const { run, specifier } = starts[name as keyof typeof runtimes]
  const args = ["install", "--no-audit", "--no-fund", "--no-save", specifier]
  if (spawnSync("npm", args, { ...bounded, cwd: project }).status !== 0) {
    console.log(`${name}: skipped, npm cannot install it here`)
    continue
  }
  posts.length = 0
  const text = await run()
  const expected = { accepted: "sent", ...outcomes, refused, bundles: 1 }
  const isRight =
    isDeepStrictEqual(JSON.parse(text), expected) &&
    isDeepStrictEqual(posts.toSorted(), ["accepted", ...posted].toSorted())
  if (!isRight) {
    throw new Error(`${name}: the client reported ${text}, and the server got ${posts.join(", ")}`)
  }
  console.log(`${name}: every send made one POST, and its outcome is right`)
}

server.close()
server.closeAllConnections()
