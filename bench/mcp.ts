/**
 * The cost of the MCP server: its start, its memory, calls and sends over HTTP. A bare server on the MCP
 * SDK 2 lists the same tools, and returns our result as a constant.
 */
import type { Client } from "@modelcontextprotocol/client"
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
  type Cost,
  median,
  memoryOf,
  processorDifference,
  processorOf,
  ratio,
  shareOf,
  timed
} from "./measure.ts"
import { atLeast, atMost, type Row, type Table } from "./table.ts"

const maxStartMillis = 35
const maxResidentMebibytes = 66
const minCalls = 0.95
const minSendsPerSecond = 500
const maxGrowth = 1.2

/** One start differs from the next by more than the difference that is looked for, so there are many. */
const starts = 45

const clientCounts = [1, 8, 64] as const
const mostClients = 64

/** The calls of all clients of a server in one turn. */
const calls = 256

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
    if (name === ours) resident.push(memoryOf("VmRSS", pid))
    await client.close()
    return { wall, processor }
  }
  const contenders = [...files].map(([name, file]) => ({ name, run: () => start(name, file) }))
  const costs = await alternate(contenders, { rounds: starts, warmUpRounds: 1 })
  return {
    name: "mcp-start",
    headings: ["server", "figure", "counted from that of"],
    measured: ["measured"],
    rows: [
      {
        labels: [ours, "CPU time from the start to the list of tools", bareSdk],
        unit: "ms",
        target: atMost(maxStartMillis),
        figures: [processorDifference(costs, ours, bareSdk) / 1000]
      },
      {
        labels: [ours, "resident memory then", ""],
        unit: "MiB",
        target: atMost(maxResidentMebibytes),
        figures: [median(resident)]
      }
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
}

/** Connects clients, and returns a function that shares calls among them. Each makes one after the other. */
const connectAll = async (server: Running, { clients: count, fact, mode, next }: Load) => {
  const clients = new Array<Client>()
  while (clients.length < count) clients.push(await connect(server, mode))
  const work = async (all: number): Promise<void> => {
    let left = all
    const callOn = async (client: Client) => {
      while (left-- > 0) {
        const text = JSON.stringify(await client.callTool(next()))
        if (!text.includes(fact)) throw new Error(`${server.name} responds ${text}`)
      }
    }
    await Promise.all(clients.map(callOn))
  }
  return {
    run: (all: number) =>
      timed(
        () => work(all),
        () => processorOf(server.pid)
      ),
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
      const load = { clients, mode, next: () => preview, fact: factOfPreview }
      const connected = await Promise.all(servers.map((server) => connectAll(server, load)))
      const costs = await alternate(
        connected.map(({ run }, at) => ({
          name: servers[at]?.name ?? "",
          run: () => run(calls)
        }))
      )
      await stopAll(connected)
      figures.push(ratio(costs, bareSdk, ours, "processor"))
    }
    const labels = [ours, eras[mode], bareSdk]
    rows.push({ labels, unit: "×", target: atLeast(minCalls), figures })
  }
  return {
    name: "mcp-calls",
    headings: ["server", "protocol", "calls per CPU time, compared with"],
    measured: clientCounts.map((count) => (count === 1 ? "1 client" : `${count} clients`)),
    rows
  }
}

const sendTable = async (file: string): Promise<Table> => {
  const state = `sqlite:${join(temporaryFolder(), "sends.sqlite")}`
  const unasked = ["--confirm", "off", "--allow-recipients", "*", "--state", state]
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
  const clients = await connectAll(server, { clients: mostClients, mode: "auto", next, fact })
  const parts = new Array<Cost>()
  while (parts.length < countOfParts) parts.push(await clients.run(sendsInPart))
  await stopAll([clients, server, service])
  const [, second, ...later] = parts.map(({ processor }) => processor)
  const name = `${ours}, SQLite`
  return {
    name: "mcp-sends",
    headings: ["server", "figure", "compared with"],
    measured: ["measured"],
    rows: [
      {
        labels: [name, "sends per second, 64 clients", ""],
        unit: "",
        target: atLeast(minSendsPerSecond),
        figures: [(sendsInPart * 1_000_000) / median(parts.map(({ wall }) => wall))]
      },
      {
        labels: [name, "CPU time of the last tenth of 50,000 sends", "the second tenth"],
        unit: "×",
        target: atMost(maxGrowth),
        figures: [(later.at(-1) ?? Number.NaN) / (second ?? Number.NaN)]
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
