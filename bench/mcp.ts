/**
 * The cost of the MCP server: its start, its memory, a call over stdio and over HTTP.
 */
import { spawnSync } from "node:child_process"
import { callsOverHttp, memoryOverHttp } from "./mcpClients.ts"
import { sendsOverHttp } from "./mcpSends.ts"
import {
  bareSdk,
  checkResponse,
  open,
  ours,
  oursFromSource,
  prepare,
  preview,
  type Server,
  toolsOf
} from "./mcpServers.ts"
import {
  alternate,
  type Cost,
  median,
  memoryOf,
  processorDifference,
  processorOf,
  timed,
  timingOf
} from "./measure.ts"
import { atMost, type Row, row, type Sections } from "./results.ts"

/** More CPU time than the bare SDK 2. */
const maxStartMillis = 25
const maxResidentMebibytes = 63
const maxOverheadMicros = 40

const calls = 500
const callsBeforeMemory = 10_000

const bareNode = "(`node -e 0`)"

const residentMebibytes = ({ pid }: Server): number => memoryOf("VmRSS", pid) / 2 ** 20

/**
 * Starts each server for its list of tools. The rounds that are not measured fill the compile cache. One start
 * differs from the next by more than the difference that is looked for, so there are many.
 */
const startRows = async (files: ReadonlyMap<string, string>): Promise<ReadonlyArray<Row>> => {
  const resident = new Map([...files.keys()].map((name) => [name, new Array<number>()]))
  const start = async (name: string, file: string): Promise<Cost> => {
    const begin = performance.now()
    const server = open(file)
    toolsOf(await server.request("tools/list", {}))
    const cost = {
      wall: (performance.now() - begin) * 1000,
      processor: processorOf(server.pid)
    }
    resident.get(name)?.push(residentMebibytes(server))
    await server.stop()
    return cost
  }
  const timings = await alternate(
    [
      {
        name: bareNode,
        run: () => timed(() => Promise.resolve(spawnSync(process.execPath, ["-e", "0"])))
      },
      ...[...files].map(([name, file]) => ({ name, run: () => start(name, file) }))
    ],
    { rounds: 45, warmUpRounds: 1 }
  )
  return timings.map((timing) => {
    const { name } = timing
    const time = median(timing.micros) / 1000
    if (name === bareNode) return row({ server: name }, { time })
    const processor = median(timing.processorMicros) / 1000
    const values = { time, processor, resident: median(resident.get(name) ?? []) }
    if (name === bareSdk) return row({ server: name }, values)
    const over = processorDifference(timing, timingOf(timings, bareSdk)) / 1000
    const targets = [atMost("over", maxStartMillis), atMost("resident", maxResidentMebibytes)]
    return row({ server: name }, { ...values, over }, ...(name === ours ? targets : []))
  })
}

const callRows = async (files: ReadonlyMap<string, string>): Promise<ReadonlyArray<Row>> => {
  const servers = [...files].map(([name, file]) => ({ name, server: open(file) }))
  const call = async ({ request }: Server, count: number) => {
    for (let made = 0; made < count; made++) await request("tools/call", preview)
  }
  for (const { name, server } of servers) {
    checkResponse(name, await server.request("tools/call", preview))
  }
  const timings = await alternate(
    servers.map(({ name, server }) => ({
      name,
      run: () =>
        timed(
          () => call(server, calls),
          () => processorOf(server.pid)
        )
    })),
    { calls }
  )
  const rows = new Array<Row>()
  for (const { name, server } of servers) {
    await call(server, callsBeforeMemory)
    const timing = timingOf(timings, name)
    const values = {
      time: median(timing.micros),
      processor: median(timing.processorMicros),
      resident: residentMebibytes(server)
    }
    const over = processorDifference(timing, timingOf(timings, bareSdk))
    rows.push(
      name === bareSdk
        ? row({ server: name }, values)
        : row({ server: name }, { ...values, over }, atMost("over", maxOverheadMicros))
    )
    await server.stop()
  }
  return rows
}

export const mcp = async (): Promise<Sections> => {
  const { http, source, stdio } = await prepare()
  return {
    mcpStart: {
      units: { time: "ms", processor: "ms", over: "ms", resident: "MiB" },
      rows: await startRows(new Map([...stdio, [oursFromSource, source]]))
    },
    mcpCall: {
      units: { time: "µs", processor: "µs", over: "µs", resident: "MiB" },
      rows: await callRows(stdio)
    },
    mcpClients: await callsOverHttp(http),
    mcpSends: await sendsOverHttp(stdio.get(ours) ?? ""),
    mcpMemory: await memoryOverHttp(stdio.get(ours) ?? "")
  }
}
