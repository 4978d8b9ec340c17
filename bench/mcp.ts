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
  costIn,
  median,
  memoryIn,
  processorOf,
  shareOf,
  timed
} from "./measure.ts"
import { atLeast, atMost, figureRow, rateCell, type Row, type Table } from "./table.ts"

/** One start differs from the next by more than the difference that is looked for, so there are many. */
const starts = 45

const clientCounts = [1, 8, 64] as const
const mostClients = 64

/** As many as the default limit allows in an hour. */
const sendsInHour = 100

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
  const toList = `CPU time from the start to the list of tools, beyond that of ${bareSdk}`
  return {
    name: "mcp-start",
    headings: ["figure"],
    measured: ["measured"],
    rows: [
      figureRow([toList], [more / 1000], "ms", atMost(35)),
      figureRow(["resident memory then"], [median(resident)], "MiB", atMost(66))
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
    let rate = ""
    for (const clients of clientCounts) {
      const load = { clients, mode, next: () => preview, fact: factOfPreview, calls: 256 }
      const connected = await Promise.all(servers.map((server) => connectAll(server, load)))
      const rounds = await alternate(connected, { rounds: 15, warmUpRounds: 5 })
      await stopAll(connected)
      figures.push(compare(rounds, [bareSdk, ours], (bare, our) => bare.processor / our.processor))
      rate = rateCell(load.calls, median(rounds.map((round) => costIn(round, ours).wall)))
    }
    rows.push(figureRow([eras[mode]], figures, "×", atLeast(0.95), rate))
  }
  return {
    name: "mcp-calls",
    headings: ["protocol"],
    measured: [
      ...clientCounts.map((count) => (count === 1 ? "1 client" : `${count} clients`)),
      `calls a second, ${mostClients} clients`
    ],
    rows
  }
}

/** Each server starts with a new journal, and sends what the default limits allow. */
const sendTable = async (file: string): Promise<Table> => {
  const folder = temporaryFolder()
  const service = await startServer()
  const walls = new Array<number>()
  while (walls.length < shareOf(15)) {
    const journal = join(folder, `${walls.length}.sqlite`)
    const unasked = ["--confirm", "off", "--allow-recipients", "*", "--journal", journal]
    const args = ["--http", "--port", "0", ...unasked]
    const server = await startHttp(ours, file, args, { MESSAGING_TOPUP_BASE_URL: service.url })
    let sent = 0
    const next = () => ({
      name: "send_sms",
      arguments: { recipient: "+15550100", message: `Your code is ${++sent}` }
    })
    const load = { clients: mostClients, mode: "auto", next, calls: sendsInHour } as const
    const clients = await connectAll(server, { ...load, fact: '"sent_by_this_call":true' })
    walls.push((await clients.run()).wall)
    await stopAll([clients, server])
  }
  await service.stop()
  return {
    name: "mcp-sends",
    headings: ["sends"],
    measured: ["sends a second"],
    rows: [
      {
        labels: [`${sendsInHour}, ${mostClients} clients, SQLite`],
        target: "",
        cells: [rateCell(sendsInHour, median(walls))]
      }
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
