/**
 * Starts MCP servers on HTTP, and calls them with many clients at once, in both eras of the protocol.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { Client } from "undici"
import { environment, initialize } from "./mcpServers.ts"

/** Before the second, clients begin with a handshake. */
export const eras = ["2025-11-25", "2026-07-28"] as const

type Era = (typeof eras)[number]

export interface Running {
  readonly name: string
  readonly pid: number
  readonly url: URL
  readonly stop: () => Promise<void>
}

const addressIn = /http:\/\/127\.0\.0\.1:\d+\/mcp/

/** Our server prints its address on stderr, the bare one on stdout. */
export const startServer = async (
  name: string,
  args: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>> = {}
): Promise<Running> => {
  const child = spawn(process.execPath, args, {
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
  /** Returns the next call. */
  readonly paramsOf: () => { readonly name: string; readonly arguments: object }
  /** What each result must contain. */
  readonly fact: string
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

/** Opens a session if the server has sessions. */
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
const connect = async (server: Running, { era, fact, paramsOf }: Contest): Promise<Session> => {
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
      if (!text.includes(fact)) throw new Error(`${server.name} responds ${text}`)
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
