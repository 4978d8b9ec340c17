/**
 * Calls over HTTP to MCP servers, with many clients at once: rate, CPU time and memory, in both eras of
 * the protocol.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { Client } from "undici"
import {
  checkResponse,
  effectServer,
  environment,
  initialize,
  ours,
  preview
} from "./mcpServers.ts"
import {
  alternate,
  median,
  memoryOf,
  processorOf,
  processorRatio,
  timed,
  timingOf
} from "./measure.ts"
import { atLeast, atMost, type Row, row, type Section } from "./results.ts"

const clientCounts = [1, 8, 64]
export const mostClients = 64

/** Before the second, clients begin with a handshake. */
const eras = ["2025-11-25", "2026-07-28"] as const

type Era = (typeof eras)[number]

/** The calls of all clients of a server in one turn. Each client makes one call after the other. */
const calls = 256

interface Running {
  readonly name: string
  readonly pid: number
  readonly url: URL
  readonly stop: () => Promise<void>
}

const addressIn = /http:\/\/127\.0\.0\.1:\d+\/mcp/

interface StartOptions {
  /** Of Node. */
  readonly flags?: ReadonlyArray<string>
  readonly options?: ReadonlyArray<string>
  readonly variables?: Readonly<Record<string, string>>
}

/** Our server prints its address on stderr, the others on stdout. */
export const startServer = async (
  name: string,
  file: string,
  { flags = [], options = [], variables = {} }: StartOptions = {}
): Promise<Running> => {
  const args = name === ours ? [file, "--http", "--port", "0", ...options] : [file]
  const child = spawn(process.execPath, [...flags, ...args], {
    env: { ...environment, ...variables },
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

interface Contest {
  readonly clients: number
  readonly era: Era
  /** Returns the next call. Defaults to a preview. */
  readonly paramsOf?: () => { readonly name: string; readonly arguments: object }
  /** What each result must contain. */
  readonly fact?: string
}

interface Session {
  readonly call: () => Promise<void>
  readonly close: () => Promise<void>
}

const poster = ({ url }: Running, client: Client, era: Era) => {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": era
  }
  const post = async (message: object) => {
    const response = await client.request({
      path: url.pathname,
      method: "POST",
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", ...message })
    })
    return { headers: response.headers, text: await response.body.text() }
  }
  return { headers, post }
}

/** Opens a session, if the server has sessions. */
const shakeHands = async ({ headers, post }: ReturnType<typeof poster>): Promise<void> => {
  const opened = await post({ id: 0, method: "initialize", params: initialize })
  const id = opened.headers["mcp-session-id"]
  if (typeof id === "string") headers["mcp-session-id"] = id
  await post({ method: "notifications/initialized" })
}

/** What every request of a modern client says of itself. */
const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": initialize.clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {}
}

/** Opens a connection of its own. */
const connect = async (
  server: Running,
  { era, paramsOf = () => preview, fact }: Contest
): Promise<Session> => {
  const client = new Client(server.url.origin)
  const { headers, post } = poster(server, client, era)
  if (era === "2025-11-25") await shakeHands({ headers, post })
  else Object.assign(headers, { "mcp-method": "tools/call", "mcp-name": paramsOf().name })
  const added = era === "2025-11-25" ? {} : { _meta: modernMeta }
  let lastId = 0
  return {
    call: async () => {
      const params = { ...paramsOf(), ...added }
      const { text } = await post({ id: ++lastId, method: "tools/call", params })
      checkResponse(server.name, text, fact)
    },
    close: () => client.close()
  }
}

/** Runs `use` with a function that shares calls among clients. */
export const withClients = async <A>(
  server: Running,
  contest: Contest,
  use: (work: (count: number) => Promise<void>) => Promise<A>
): Promise<A> => {
  const sessions = await Promise.all(
    Array.from({ length: contest.clients }, () => connect(server, contest))
  )
  try {
    return await use(async (count) => {
      let left = count
      const work = async ({ call }: Session) => {
        while (left-- > 0) await call()
      }
      await Promise.all(sessions.map(work))
    })
  } finally {
    await Promise.all(sessions.map(({ close }) => close()))
  }
}

const contend = async (
  [first, ...others]: ReadonlyArray<Running>,
  contest: Contest,
  contenders: ReadonlyArray<Parameters<typeof alternate>[0][number]> = []
): Promise<Awaited<ReturnType<typeof alternate>>> =>
  first === undefined
    ? alternate(contenders, { calls })
    : withClients(first, contest, (work) => {
        const run = () =>
          timed(
            () => work(calls),
            () => processorOf(first.pid)
          )
        return contend(others, contest, [...contenders, { name: first.name, run }])
      })

const rowsFor = async (
  all: ReadonlyArray<Running>,
  contest: Contest
): Promise<ReadonlyArray<Row>> => {
  const { clients, era } = contest
  // Effect's server has no protocol of the second era.
  const servers = all.filter(({ name }) => era === "2025-11-25" || name !== effectServer)
  const timings = await contend(servers, contest)
  return servers.map(({ name }) => {
    const timing = timingOf(timings, name)
    const values = {
      clients,
      rate: 1_000_000 / median(timing.micros),
      processor: median(timing.processorMicros)
    }
    if (name === ours) return row({ era, server: name }, values)
    const oursToIt = processorRatio(timing, timingOf(timings, ours))
    const isTarget = name !== effectServer || clients === mostClients
    return row(
      { era, server: name },
      { ...values, oursToIt },
      ...(isTarget ? [atLeast("oursToIt", 1)] : [])
    )
  })
}

export const callsOverHttp = async (files: ReadonlyMap<string, string>): Promise<Section> => {
  const servers = new Array<Running>()
  try {
    for (const [name, file] of files) servers.push(await startServer(name, file))
    const rows = new Array<Row>()
    for (const era of eras) {
      for (const clients of clientCounts) rows.push(...(await rowsFor(servers, { clients, era })))
    }
    return {
      units: { clients: "clients", rate: "calls per second", processor: "µs", oursToIt: "×" },
      rows
    }
  } finally {
    for (const { stop } of servers) await stop()
  }
}

const early = 18_000
const late = 54_000
const maxResidentMebibytes = 260

const dockerfile = new URL("../packages/mcp-server/Dockerfile", import.meta.url)

/** The flags with which the image starts Node. */
const flagsOfImage = (): ReadonlyArray<string> =>
  readFileSync(dockerfile, "utf8").match(/(?<=^ENTRYPOINT .*")--[^"]+/gm) ?? []

/** The memory of our server in its image, while many clients call it for long. */
export const memoryOverHttp = async (file: string): Promise<Section> => {
  const rows = new Array<Row>()
  for (const era of eras) {
    const server = await startServer(ours, file, { flags: flagsOfImage() })
    try {
      const resident = () => memoryOf("VmRSS", server.pid) / 2 ** 20
      const values = await withClients(server, { clients: mostClients, era }, async (work) => {
        await work(early)
        const residentEarly = resident()
        await work(late - early)
        return { residentEarly, residentLate: resident() }
      })
      rows.push(row({ era }, values, atMost("residentLate", maxResidentMebibytes)))
    } finally {
      await server.stop()
    }
  }
  return { units: { residentEarly: "MiB", residentLate: "MiB" }, rows }
}
