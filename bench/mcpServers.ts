/**
 * Builds the servers of the MCP benchmarks, and calls them over stdin and stdout.
 */
import { bundle, bundleFiles } from "@messaging-topup/mcp-server/bundle/Bundle.ts"
import * as Schema from "effect/Schema"
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const folder = at("../node_modules/.cache/bench/mcp")

const bundled = `${folder}/ours/main.cjs`

const Listed = Schema.fromJsonString(
  Schema.Struct({
    result: Schema.Struct({
      tools: Schema.Array(
        Schema.StructWithRest(Schema.Struct({ name: Schema.String }), [
          Schema.Record(Schema.String, Schema.Unknown)
        ])
      )
    })
  })
)

export interface Server {
  readonly pid: number
  /** Sends a request, and returns the line of the response. One request at a time. */
  readonly request: (method: string, params: object) => Promise<string>
  /** Ends stdin, as hosts do, and waits for the end: the process writes its compile cache then. */
  readonly stop: () => Promise<void>
}

export const environment = {
  PATH: process.env["PATH"],
  MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:9",
  MESSAGING_TOPUP_TOKEN: "token-of-the-benchmark"
}

export const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "bench", version: "1.0.0" }
}

export const open = (file: string): Server => {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, [file], {
    env: environment,
    stdio: ["pipe", "pipe", "inherit"]
  })
  const exit = once(child, "exit")
  const lines = createInterface({ input: child.stdout })
  const waiting = new Array<(line: string) => void>()
  lines.on("line", (line) => waiting.shift()?.(line))
  let lastId = 0
  const write = (message: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  }
  const request = (method: string, params: object) =>
    new Promise<string>((resolve) => {
      waiting.push(resolve)
      write({ id: ++lastId, method, params })
    })
  // The next message need not wait for this response: a server reads all input before it writes anything.
  void request("initialize", initialize)
  write({ method: "notifications/initialized" })
  return {
    pid: child.pid ?? 0,
    request,
    stop: async () => {
      child.stdin.end()
      await exit
    }
  }
}

export const bareSdk = "bare SDK 2"
export const ours = "ours"
export const oursFromSource = "ours, from source"

/** By the beginning of the file names in apps/mcp, the names in the tables. */
const others = {
  sdk2: bareSdk,
  sdk1: "bare SDK 1",
  effect: "Effect's `McpServer`"
}

/** The tools in a response to `tools/list`. */
export const toolsOf = (list: string) => Schema.decodeUnknownSync(Listed)(list).result.tools

/** Bundles a server of apps/mcp in the same way as ours. */
const build = async (name: string, list: string): Promise<string> => {
  const outdir = `${folder}/${name}`
  await bundleFiles({
    input: { server: at(`apps/mcp/${name}.ts`) },
    outdir,
    define: { TOOLS: JSON.stringify(toolsOf(list)) }
  })
  const main = `${outdir}/main.cjs`
  writeFileSync(main, 'require("node:module").enableCompileCache(); require("./server.cjs")\n')
  return main
}

const buildAll = async (transport: string, list: string): Promise<ReadonlyMap<string, string>> => {
  const files = new Map<string, string>()
  for (const [name, title] of Object.entries(others)) {
    files.set(title, await build(`${name}${transport}`, list))
  }
  return files.set(ours, bundled)
}

/** Returns the file of each server, and our response to `tools/list`. */
export const prepare = async () => {
  await bundle(`${folder}/ours`)
  const server = open(bundled)
  const list = await server.request("tools/list", {})
  await server.stop()
  return {
    list,
    stdio: await buildAll("Stdio", list),
    http: await buildAll("Http", list),
    source: at("../packages/mcp-server/src/main.ts")
  }
}
