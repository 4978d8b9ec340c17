/**
 * The cost of the MCP server: its start, its memory, calls and sends over HTTP. A bare server on the MCP
 * SDK 2 lists the same tools, and returns our result as a constant.
 */
import { join } from "node:path"
import { withServer } from "../scripts/child.ts"
import { temporaryFolder } from "../scripts/support.ts"
import { eras, type Running, startServer, withClients } from "./mcpHttp.ts"
import { bareSdk, factOfPreview, open, ours, prepare, preview } from "./mcpServers.ts"
import {
  alternate,
  type Contender,
  type Cost,
  type Costs,
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
    const server = open(file)
    await server.request("tools/list", {})
    const wall = (performance.now() - begin) * 1000
    const processor = processorOf(server.pid)
    if (name === ours) resident.push(memoryOf("VmRSS", server.pid))
    await server.stop()
    return { wall, processor }
  }
  const contenders = [...files].map(([name, file]) => ({ name, run: () => start(name, file) }))
  const costs = await alternate(contenders, { rounds: starts, warmUpRounds: 1 })
  return {
    name: "mcp-start",
    headings: ["server", "figure", "more than"],
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

const previews = { paramsOf: () => preview, fact: factOfPreview }

/** Opens the clients of one server after the other, and then lets the servers contend. */
const contend = (
  [first, ...others]: ReadonlyArray<Running>,
  contest: Parameters<typeof withClients>[1],
  contenders: ReadonlyArray<Contender> = []
): Promise<Costs> =>
  first === undefined
    ? alternate(contenders)
    : withClients(first, contest, (work) => {
        const run = () =>
          timed(
            () => work(calls),
            () => processorOf(first.pid)
          )
        return contend(others, contest, [...contenders, { name: first.name, run }])
      })

const callTable = async (servers: ReadonlyArray<Running>): Promise<Table> => {
  const rows = new Array<Row>()
  for (const era of eras) {
    const figures = new Array<number>()
    for (const clients of clientCounts) {
      const costs = await contend(servers, { ...previews, clients, era })
      figures.push(ratio(costs, bareSdk, ours, "processor"))
    }
    rows.push({ labels: [ours, era, bareSdk], unit: "×", target: atLeast(minCalls), figures })
  }
  return {
    name: "mcp-calls",
    headings: ["server", "protocol", "calls in the CPU time of one call of"],
    measured: clientCounts.map((count) => (count === 1 ? "1 client" : `${count} clients`)),
    rows
  }
}

/** The costs of each part of the sends, per send. */
const sendsOf = async (server: Running): Promise<ReadonlyArray<Cost>> => {
  let sent = 0
  const paramsOf = () => ({
    name: "send_sms",
    arguments: { recipient: "+15550100", message: `Your code is ${++sent}` }
  })
  const fact = '"sent_by_this_call":true'
  const contest = { clients: mostClients, era: "2026-07-28", paramsOf, fact } as const
  const parts = await withClients(server, contest, async (work) => {
    const costs = new Array<Cost>()
    for (let part = 0; part < countOfParts; part++) {
      const run = () => work(sendsInPart)
      costs.push(await timed(run, () => processorOf(server.pid)))
    }
    return costs
  })
  return parts.map(({ processor, wall }) => ({
    processor: processor / sendsInPart,
    wall: wall / sendsInPart
  }))
}

const sendTable = async (file: string): Promise<Table> => {
  const state = `sqlite:${join(temporaryFolder(), "sends.sqlite")}`
  const unasked = ["--confirm", "off", "--allow-recipients", "*", "--state", state]
  const unlimited = ["--max-sends-per-hour", "1000000", "--max-segments-per-day", "1000000"]
  const args = [file, "--http", "--port", "0", ...unasked, ...unlimited]
  const parts = await withServer(new URL("../scripts/server.ts", import.meta.url), async (url) => {
    const server = await startServer(ours, args, { MESSAGING_TOPUP_BASE_URL: url })
    try {
      return await sendsOf(server)
    } finally {
      await server.stop()
    }
  })
  const processor = parts.map((part) => part.processor)
  return {
    name: "mcp-sends",
    headings: ["server", "figure", "relative to"],
    measured: ["measured"],
    rows: [
      {
        labels: [`${ours}, SQLite`, "sends per second, 64 clients", ""],
        unit: "",
        target: atLeast(minSendsPerSecond),
        figures: [1_000_000 / median(parts.map(({ wall }) => wall))]
      },
      {
        labels: [
          `${ours}, SQLite`,
          "CPU time of the last tenth of 50,000 sends",
          "the second tenth"
        ],
        unit: "×",
        target: atMost(maxGrowth),
        figures: [(processor.at(-1) ?? Number.NaN) / (processor[1] ?? Number.NaN)]
      }
    ]
  }
}

export const mcp = async (): Promise<ReadonlyArray<Table>> => {
  const files = await prepare()
  const start = await startTable(
    new Map([
      [bareSdk, files.bareStdio],
      [ours, files.ours]
    ])
  )
  const servers = new Array<Running>()
  try {
    servers.push(await startServer(bareSdk, [files.bareHttp]))
    servers.push(await startServer(ours, [files.ours, "--http", "--port", "0"]))
    return [start, await callTable(servers), await sendTable(files.ours)]
  } finally {
    for (const { stop } of servers) await stop()
  }
}
