/**
 * Runs the packed promise client on every supported runtime, and checks the outcomes that it reports and the
 * POSTs that the server counts. If npm cannot install a runtime here, the check prints that it skips it.
 */
import * as Schema from "effect/Schema"
import { build } from "esbuild"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { createServer as createSocketServer } from "node:net"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { isDeepStrictEqual } from "node:util"
import { faults, runtimes } from "../docs/runtimes.ts"
import { bounded, packPackages, temporaryFolder } from "./support.ts"

const project = temporaryFolder()
const inProject = { ...bounded, cwd: project }

const core = packPackages(project).find(({ name }) => name === "@messaging-topup/core")
if (core === undefined) throw new Error("core was not packed")

const install = (packages: Readonly<Record<string, string>>): boolean => {
  const specifiers = Object.entries(packages).map(([name, version]) => `${name}@${version}`)
  const flags = ["--no-audit", "--no-fund", "--no-save"]
  return spawnSync("npm", ["install", ...flags, ...specifiers], inProject).status === 0
}

const portOf = (address: string | object | null): number => {
  if (address === null || typeof address === "string" || !("port" in address)) return 0
  return Number(address.port)
}

const posts: Array<string> = []

const Message = Schema.fromJsonString(Schema.Struct({ message: Schema.String }))

const server = createServer((request, response) => {
  const respond = (status: number, body: object) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  let body = ""
  request.on("data", (chunk: Buffer) => (body += chunk.toString()))
  request.on("end", () => {
    if (request.method === "GET") return respond(200, { category: [{ bundle_id: "b-1" }] })
    const { message } = Schema.decodeUnknownSync(Message)(body)
    posts.push(message)
    if (message === "accepted") {
      const data = [{ recipient: "+15550100123", message_id: "m-1", status: "any" }]
      return respond(202, { success: true, status: 202, message: "Accepted", data })
    }
    if (message === "500") return respond(500, { success: false, error: { status: 500 } })
    return message === "reset" ? request.socket.resetAndDestroy() : undefined
  })
}).listen(0, "127.0.0.1")
await once(server, "listening")
const baseUrl = `http://127.0.0.1:${portOf(server.address())}`

const refusingServer = createSocketServer().listen(0, "127.0.0.1")
await once(refusingServer, "listening")
const refusingUrl = `http://127.0.0.1:${portOf(refusingServer.address())}`
refusingServer.close()

const textOf = async (command: string, args: ReadonlyArray<string>): Promise<string> => {
  const child = spawn(join(project, "node_modules", command), [...args, baseUrl, refusingUrl], {
    cwd: project,
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 60_000
  })
  let text = ""
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()))
  await once(child, "close")
  return text
}

const onWorkerd = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [join(project, "worker.js")],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"]
  })
  const path = pathToFileURL(join(project, "node_modules/miniflare/dist/src/index.js")).href
  const { Miniflare } = await import(path)
  const miniflare = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text,
    compatibilityDate: "2026-01-01"
  })
  try {
    const query = new URLSearchParams({ baseUrl, refusingUrl })
    const response = await miniflare.dispatchFetch(`http://localhost/?${query.toString()}`)
    return await response.text()
  } finally {
    await miniflare.dispose()
  }
}

interface Start {
  readonly packages: Readonly<Record<string, string>>
  readonly run: () => Promise<string>
}

const node = (version: string): Start => ({
  packages: { [`node-${version}`]: `npm:node-linux-${process.arch}@${version}` },
  run: () => textOf(`node-${version}/bin/node`, ["main.js"])
})

const starts: Readonly<Record<keyof typeof runtimes, Start>> = {
  "Node 22": node("22.23.3"),
  "Node 24": node("24.21.0"),
  "Node 26": node("26.10.0"),
  Bun: {
    packages: { bun: "1.4.5" },
    run: () => textOf(".bin/bun", ["main.js"])
  },
  Deno: {
    packages: { deno: "2.9.6" },
    run: () => textOf(".bin/deno", ["run", "--allow-all", "--node-modules-dir=manual", "main.js"])
  },
  workerd: { packages: { miniflare: "4.20260730.0" }, run: onWorkerd }
}

writeFileSync(
  join(project, "package.json"),
  JSON.stringify({
    private: true,
    type: "module",
    dependencies: { [core.name]: `file:${core.filename}` }
  })
)
cpSync(join(import.meta.dirname, "runtimes"), project, { recursive: true })

const posted = Object.entries(faults).flatMap(([text, fault]) =>
  Array.from({ length: fault.posts }, () => text)
)
const outcomes = Object.fromEntries(
  Object.entries(faults).map(([text, { outcome }]) => [text, outcome])
)

const check = async (name: keyof typeof runtimes): Promise<void> => {
  const { packages, run } = starts[name]
  if (!install(packages)) {
    console.log(`${name}: skipped, npm cannot install it here`)
    return
  }
  posts.length = 0
  const text = await run()
  const reported: unknown = JSON.parse(text === "" ? "null" : text)
  const { refused } = runtimes[name]
  const expected = { accepted: "sent", ...outcomes, refused, bundles: 1 }
  const isRight =
    isDeepStrictEqual(reported, expected) &&
    isDeepStrictEqual(posts.toSorted(), ["accepted", ...posted].toSorted())
  if (!isRight) {
    throw new Error(`${name}: the client reported ${text}, and the server got ${posts.join(", ")}`)
  }
  console.log(`${name}: every send made one POST, and its outcome is right`)
}

await check("Node 22")
await check("Node 24")
await check("Node 26")
await check("Bun")
await check("Deno")
await check("workerd")

server.close()
server.closeAllConnections()
