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

const decodeList = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      result: Schema.Struct({
        tools: Schema.NonEmptyArray(Schema.Record(Schema.String, Schema.Unknown))
      })
    })
  )
)

/** The tools in a response to `tools/list`. */
export const toolsOf = (list: string) => decodeList(list).result.tools

const decodeCall = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ result: Schema.Record(Schema.String, Schema.Unknown) }))
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

/** The call of all benchmarks of servers. */
export const preview = { name: "preview_sms", arguments: { message: "Your code is 4711" } }

export const checkResponse = (name: string, response: string, fact = '"segments":1'): void => {
  if (!response.includes(fact)) throw new Error(`${name} responds ${response}`)
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
export const effectServer = "Effect's `McpServer`"
export const ours = "ours"
export const oursFromSource = "ours, from source"

/** Bundles a server of apps/mcp in the same way as ours. */
const build = async (name: string, define: Readonly<Record<string, string>>): Promise<string> => {
  const outdir = `${folder}/${name}`
  await bundleFiles({ input: { server: at(`apps/mcp/${name}.ts`) }, outdir, define })
  const main = `${outdir}/main.cjs`
  writeFileSync(main, 'require("node:module").enableCompileCache(); require("./server.cjs")\n')
  return main
}

/** Returns the file of each server, by its name in the tables. */
export const prepare = async () => {
  await bundle(`${folder}/ours`)
  const bundled = `${folder}/ours/main.cjs`
  const server = open(bundled)
  const define = {
    TOOLS: JSON.stringify(toolsOf(await server.request("tools/list", {}))),
    RESULT: JSON.stringify(decodeCall(await server.request("tools/call", preview)).result)
  }
  await server.stop()
  return {
    stdio: new Map([
      [bareSdk, await build("sdk2Stdio", define)],
      [ours, bundled]
    ]),
    http: new Map([
      [bareSdk, await build("sdk2Http", define)],
      [effectServer, await build("effectHttp", define)],
      [ours, bundled]
    ]),
    source: at("../packages/mcp-server/src/main.ts")
  }
}
