/**
 * Builds the MCP servers that are compared, and talks to them over stdin and stdout.
 */
import { bundle, bundleFiles } from "@messaging-topup/mcp-server/bundle/Bundle.ts"
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const folder = at("../node_modules/.cache/bench/mcp")

type Result = Readonly<Record<string, unknown>>

/** The result in a response. */
const resultOf = (response: string): Result =>
  (JSON.parse(response) as { readonly result: Result }).result

export interface Server {
  readonly pid: number
  /** Sends a request, and returns the line of the response. One request at a time. */
  readonly request: (method: string, params: object) => Promise<string>
  /** Ends stdin, as hosts do, and waits for the end: the process writes its compile cache then. */
  readonly stop: () => Promise<void>
}

/** The servers keep their state in the cache, and not in the home folder of a user. */
export const environment = {
  PATH: process.env["PATH"],
  XDG_STATE_HOME: folder,
  MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:9",
  MESSAGING_TOPUP_TOKEN: "token-of-the-benchmark"
}

export const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "bench", version: "1.0.0" }
}

/** A call without effects, and what its result contains. */
export const preview = { name: "preview_sms", arguments: { message: "Your code is 4711" } }
export const factOfPreview = '"segments":1'

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
export const ours = "messaging-topup-mcp"

/** Bundles a server of apps/mcp in the same way as ours. */
const build = async (name: string, define: Readonly<Record<string, string>>): Promise<string> => {
  const outdir = `${folder}/${name}`
  await bundleFiles({ input: { server: at(`apps/mcp/${name}.ts`) }, outdir, define })
  const main = `${outdir}/main.cjs`
  writeFileSync(main, 'require("node:module").enableCompileCache(); require("./server.cjs")\n')
  return main
}

/** Builds the servers, and returns their files. */
export const prepare = async () => {
  await bundle(`${folder}/ours`)
  const file = `${folder}/ours/main.cjs`
  const server = open(file)
  const define = {
    TOOLS: JSON.stringify(resultOf(await server.request("tools/list", {}))["tools"]),
    RESULT: JSON.stringify(resultOf(await server.request("tools/call", preview)))
  }
  await server.stop()
  return {
    ours: file,
    bareStdio: await build("sdk2Stdio", define),
    bareHttp: await build("sdk2Http", define)
  }
}
