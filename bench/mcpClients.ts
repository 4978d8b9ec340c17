/**
 * The rate of calls over HTTP to MCP servers, with many clients at once.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { Client } from "undici"
import { checkResponse, environment, initialize, ours, preview } from "./mcpServers.ts"
import { alternate, median, memoryOf, ratio, timed, timingOf } from "./measure.ts"
import { atLeast, type Row, row, type Section } from "./results.ts"

const clientCounts = [1, 8, 64]

/** The calls of all clients of a server in one turn. Each client makes one call after the other. */
const calls = 256

interface Running {
  readonly name: string
  readonly pid: number
  readonly url: URL
  readonly stop: () => Promise<void>
}

const addressIn = /http:\/\/127\.0\.0\.1:\d+\/mcp/

/** Our server prints its address on stderr, the others on stdout. */
const startServer = async (name: string, file: string): Promise<Running> => {
  const args = name === ours ? [file, "--http", "--port", "0"] : [file]
  const child = spawn(process.execPath, args, {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"]
  })
  const exit = once(child, "exit")
  const url = await new Promise<URL>((resolve, reject) => {
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on("line", (line) => {
        const [address] = addressIn.exec(line) ?? []
        if (address !== undefined) resolve(new URL(address))
      })
    }
    void exit.then(([code]) => reject(new Error(`${name} ended with ${String(code)}`)))
  })
  const stop = async () => {
    child.kill()
    await exit
  }
  return { name, pid: child.pid ?? 0, url, stop }
}

const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": initialize.protocolVersion
}

interface Session {
  readonly call: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Opens a session on its own connection. */
const openSession = async ({ name, url }: Running): Promise<Session> => {
  const client = new Client(url.origin)
  let session: Readonly<Record<string, string>> = {}
  const post = async (message: object) => {
    const response = await client.request({
      path: url.pathname,
      method: "POST",
      headers: { ...headers, ...session },
      body: JSON.stringify({ jsonrpc: "2.0", ...message })
    })
    return { headers: response.headers, text: await response.body.text() }
  }
  const opened = await post({ id: 0, method: "initialize", params: initialize })
  const id = opened.headers["mcp-session-id"]
  if (typeof id === "string") session = { "mcp-session-id": id }
  await post({ method: "notifications/initialized" })
  let lastId = 0
  return {
    call: async () => {
      const { text } = await post({ id: ++lastId, method: "tools/call", params: preview })
      checkResponse(name, text)
    },
    close: () => client.close()
  }
}

const rowsFor = async (
  servers: ReadonlyArray<Running>,
  clients: number
): Promise<ReadonlyArray<Row>> => {
  const sessions = new Map<Running, ReadonlyArray<Session>>()
  for (const server of servers) {
    const each = Array.from({ length: clients }, () => openSession(server))
    sessions.set(server, await Promise.all(each))
  }
  const work = async ({ call }: Session) => {
    for (let made = 0; made < calls / clients; made++) await call()
  }
  const timings = await alternate(
    [...sessions].map(([{ name }, all]) => ({
      name,
      run: () => timed(() => Promise.all(all.map(work)))
    })),
    { calls }
  )
  for (const all of sessions.values()) await Promise.all(all.map(({ close }) => close()))
  return servers.map(({ name, pid }) => {
    const timing = timingOf(timings, name)
    const values = {
      clients,
      rate: 1_000_000 / median(timing.micros),
      resident: memoryOf("VmRSS", pid) / 2 ** 20
    }
    if (name === ours) return row({ server: name }, values)
    const oursToIt = ratio(timing, timingOf(timings, ours))
    return row({ server: name }, { ...values, oursToIt }, atLeast("oursToIt", 1))
  })
}

export const callsOverHttp = async (files: ReadonlyMap<string, string>): Promise<Section> => {
  const servers = new Array<Running>()
  try {
    for (const [name, file] of files) servers.push(await startServer(name, file))
    const rows = new Array<Row>()
    for (const clients of clientCounts) rows.push(...(await rowsFor(servers, clients)))
    return {
      units: { clients: "clients", rate: "calls per second", resident: "MiB", oursToIt: "×" },
      rows
    }
  } finally {
    for (const { stop } of servers) await stop()
  }
}
