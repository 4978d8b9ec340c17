/**
 * The cost of the MCP server: its start, its memory, calls and sends over HTTP. A bare server on the MCP
 * SDK 2 lists the same tools, and returns our result as a constant.
 */
import type { Client } from "@modelcontextprotocol/client"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "../scripts/support.ts"
import { startServer, stopAll } from "./child.ts"
import {
  bareSdk,
  connect,
  eras,
  factOfPreview,
  type Mode,
  open,
  ours,
  prepare,
  preview,
  type Running,
  startHttp
} from "./mcpServers.ts"
import {
  alternate,
  compare,
  type Cost,
  median,
  memoryIn,
  processorOf,
  shareOf,
  timed
} from "./measure.ts"
import { atLeast, atMost, figureRow, type Row, type Table } from "./table.ts"

/** One start differs from the next by more than the difference that is looked for, so there are many. */
const starts = 45

const clientCounts = [1, 8, 64] as const
const mostClients = 64

const countOfParts = 10
const sendsInPart = shareOf(5_000)

/** The rounds that are not measured fill the compile cache. */
const startTable = async (files: ReadonlyMap<string, string>): Promise<Table> => {
  const resident = new Array<number>()
  const start = async (name: string, file: string): Promise<Cost> => {
    const begin = performance.now()
    const { client, pid } = await open(file)
    await client.listTools()
    const wall = (performance.now() - begin) * 1000
    const processor = processorOf(pid)
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    if (name === ours) resident.push(memoryIn(status, "VmRSS"))
    await client.close()
    return { wall, processor }
  }
  const contenders = [...files].map(([name, file]) => ({ name, run: () => start(name, file) }))
  const rounds = await alternate(contenders, { rounds: starts, warmUpRounds: 1 })
  const more = compare(rounds, [ours, bareSdk], (cost, other) => cost.processor - other.processor)
  const toList = "CPU time from the start to the list of tools"
  return {
    name: "mcp-start",
    headings: ["server", "figure", "counted from that of"],
    measured: ["measured"],
    rows: [
      figureRow([ours, toList, bareSdk], more / 1000, "ms", atMost(35)),
      figureRow([ours, "resident memory then", ""], median(resident), "MiB", atMost(66))
    ]
  }
}

interface Load {
  readonly clients: number
  readonly mode: Mode
  /** Returns the next call. */
  readonly next: () => { readonly name: string; readonly arguments: Record<string, unknown> }
  /** What each result contains. */
  readonly fact: string
  /** How many calls the clients make in one turn, all together. */
  readonly calls: number
}

/** Connects clients, which share the calls of each turn. Each makes one after the other. */
const connectAll = async (server: Running, { calls, clients: count, fact, mode, next }: Load) => {
  const clients = new Array<Client>()
  while (clients.length < count) clients.push(await connect(server, mode))
  const work = async (): Promise<void> => {
    let left = calls
    const callOn = async (client: Client) => {
      while (left-- > 0) {
        const text = JSON.stringify(await client.callTool(next()))
        if (!text.includes(fact)) throw new Error(`${server.name} responds ${text}`)
      }
    }
    await Promise.all(clients.map(callOn))
  }
  return {
    name: server.name,
    run: () => timed(work, () => processorOf(server.pid)),
    stop: async () => {
      await Promise.all(clients.map((client) => client.close()))
    }
  }
}

const callTable = async (servers: ReadonlyArray<Running>): Promise<Table> => {
  const rows = new Array<Row>()
  for (const mode of ["legacy", "auto"] as const) {
    const figures = new Array<number>()
    for (const clients of clientCounts) {
      const load = { clients, mode, next: () => preview, fact: factOfPreview, calls: 256 }
      const connected = await Promise.all(servers.map((server) => connectAll(server, load)))
      const rounds = await alternate(connected, { rounds: 15, warmUpRounds: 5 })
      await stopAll(connected)
      figures.push(compare(rounds, [bareSdk, ours], (bare, our) => bare.processor / our.processor))
    }
    const labels = [ours, eras[mode], bareSdk]
    rows.push({ labels, unit: "×", target: atLeast(0.95), figures })
  }
  return {
    name: "mcp-calls",
    headings: ["server", "protocol", "calls per CPU time, compared with"],
    measured: clientCounts.map((count) => (count === 1 ? "1 client" : `${count} clients`)),
    rows
  }
}

const sendTable = async (file: string): Promise<Table> => {
  const state = join(temporaryFolder(), "sends.sqlite")
  const unasked = ["--confirm", "off", "--allow-recipients", "*", "--journal", state]
  const unlimited = ["--max-sends-per-hour", "1000000", "--max-segments-per-day", "1000000"]
  const args = ["--http", "--port", "0", ...unasked, ...unlimited]
  const service = await startServer()
  const server = await startHttp(ours, file, args, { MESSAGING_TOPUP_BASE_URL: service.url })
  let sent = 0
  const next = () => ({
    name: "send_sms",
    arguments: { recipient: "+15550100", message: `Your code is ${++sent}` }
  })
  const fact = '"sent_by_this_call":true'
  const load = { clients: mostClients, mode: "auto", next, fact, calls: sendsInPart } as const
  const clients = await connectAll(server, load)
  const parts = new Array<Cost>()
  while (parts.length < countOfParts) parts.push(await clients.run())
  await stopAll([clients, server, service])
  const [, second, ...later] = parts.map(({ processor }) => processor)
  const name = `${ours}, SQLite`
  const rate = (sendsInPart * 1_000_000) / median(parts.map(({ wall }) => wall))
  const growth = (later.at(-1) ?? Number.NaN) / (second ?? Number.NaN)
  const last = "CPU time of the last tenth of 50,000 sends"
  return {
    name: "mcp-sends",
    headings: ["server", "figure", "compared with"],
    measured: ["measured"],
    rows: [
      figureRow([name, "sends per second, 64 clients", ""], rate, "", atLeast(500)),
      figureRow([name, last, "the second tenth"], growth, "×", atMost(1.2))
    ]
  }
}

export const mcp = async function* (): AsyncGenerator<Table> {
  const files = await prepare()
  yield await startTable(
    new Map([
      [bareSdk, files.bareStdio],
      [ours, files.ours]
    ])
  )
  const servers = [
    await startHttp(bareSdk, files.bareHttp, []),
    await startHttp(ours, files.ours, ["--http", "--port", "0"])
  ]
  yield await callTable(servers)
  await stopAll(servers)
  yield await sendTable(files.ours)
}
