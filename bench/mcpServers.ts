/**
 * The MCP servers that are compared, and their clients.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { bundle, bundleOthers } from "@messaging-topup/mcp-server/bundle/Bundle.ts"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { bounded } from "../scripts/support.ts"
import { startProcess } from "../test/harness/mcp/Server.ts"

const folder = join(bounded.cwd, "node_modules/.cache/bench/mcp")

/** The servers keep their state in the cache, and not in the home folder of a user. */
const environment = {
  PATH: process.env["PATH"] ?? "",
  XDG_STATE_HOME: folder,
  MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:9",
  MESSAGING_TOPUP_TOKEN: "token-of-the-benchmark"
}

const info = { name: "bench", version: "1.0.0" }

/** Starts a server on stdin and stdout. */
export const open = async (
  file: string,
  args: ReadonlyArray<string> = [],
  variables: Readonly<Record<string, string>> = {}
) => {
  const env = { ...environment, ...variables }
  const options = { command: process.execPath, args: [file, ...args], env }
  const transport = new StdioClientTransport({ ...options, stderr: "ignore" })
  const client = new Client(info)
  await client.connect(transport)
  return { client, pid: transport.pid ?? 0 }
}

/** Starts a server on HTTP. */
export const startHttp = async (
  name: string,
  file: string,
  args: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>> = {}
) => {
  const server = startProcess(args, { file, env: { ...environment, ...variables } })
  process.once("exit", () => server.process.kill())
  return {
    name,
    pid: server.process.pid ?? 0,
    url: new URL(await server.url()),
    stop: async () => server[Symbol.asyncDispose]()
  }
}

export type Running = Awaited<ReturnType<typeof startHttp>>

/** The protocols of both eras, by how the client of the SDK asks for them. */
export const eras = { legacy: "2025-11-25", auto: "2026-07-28" } as const

export type Mode = keyof typeof eras

export const connect = async ({ name, url }: Running, mode: Mode): Promise<Client> => {
  const client = new Client(info, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(url))
  const version = client.getNegotiatedProtocolVersion()
  if (version !== eras[mode]) throw new Error(`${name} speaks ${version}`)
  return client
}

/** A call without effects, and what its result contains. */
export const preview = { name: "preview_sms", arguments: { message: "Your code is 4711" } }
export const factOfPreview = '"segments":1'

export const bareSdk = "bare SDK 2"
export const ours = "messaging-topup-mcp"

/** Bundles a server of apps/mcp in the same way as ours. */
const build = async (name: string, define: Readonly<Record<string, string>>): Promise<string> => {
  const outdir = join(folder, name)
  const input = { server: join(import.meta.dirname, `apps/mcp/${name}.ts`) }
  await bundleOthers({ input, outdir, define })
  const main = join(outdir, "main.cjs")
  writeFileSync(main, 'require("node:module").enableCompileCache(); require("./server.cjs")\n')
  return main
}

/** Builds the servers, and returns their files. */
export const prepare = async () => {
  await bundle(join(folder, "ours"))
  const file = join(folder, "ours/main.cjs")
  const { client } = await open(file)
  const define = {
    TOOLS: JSON.stringify((await client.listTools()).tools),
    RESULT: JSON.stringify(await client.callTool(preview))
  }
  await client.close()
  return {
    ours: file,
    bareStdio: await build("sdk2Stdio", define),
    bareHttp: await build("sdk2Http", define)
  }
}
