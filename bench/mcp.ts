/**
 * The cost of the MCP server: its start, its memory, a call over stdio and over HTTP.
 */
import { spawnSync } from "node:child_process"
import { callsOverHttp } from "./mcpClients.ts"
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
import { alternate, difference, median, memoryOf, ratio, timed, timingOf } from "./measure.ts"
import { atMost, type Row, row, type Sections } from "./results.ts"

const maxStartMillis = 100
const maxResidentMebibytes = 70
const maxOverheadMicros = 10

const calls = 500
const callsBeforeMemory = 10_000

const bareNode = "(`node -e 0`)"

const residentMebibytes = ({ pid }: Server): number => memoryOf("VmRSS", pid) / 2 ** 20

/** Starts each server for its list of tools. The rounds that are not measured fill the compile cache. */
const startRows = async (files: ReadonlyMap<string, string>): Promise<ReadonlyArray<Row>> => {
  const resident = new Map([...files.keys()].map((name) => [name, new Array<number>()]))
  const start = async (name: string, file: string) => {
    const server = open(file)
    toolsOf(await server.request("tools/list", {}))
    resident.get(name)?.push(residentMebibytes(server))
    return server
  }
  const timings = await alternate(
    [
      {
        name: bareNode,
        run: () => timed(() => Promise.resolve(spawnSync(process.execPath, ["-e", "0"])))
      },
      ...[...files].map(([name, file]) => ({
        name,
        run: async () => {
          let server: Server | undefined
          const cost = await timed(async () => (server = await start(name, file)))
          await server?.stop()
          return cost
        }
      }))
    ],
    { warmUpRounds: 1 }
  )
  return timings.map((timing) => {
    const { name } = timing
    const time = median(timing.micros) / 1000
    if (name === bareNode) return row({ server: name }, { time })
    const over = difference(timing, timingOf(timings, bareNode)) / 1000
    const values = { time, over, resident: median(resident.get(name) ?? []) }
    if (name === oursFromSource) return row({ server: name }, values)
    if (name === ours) {
      const targets = [atMost("time", maxStartMillis), atMost("resident", maxResidentMebibytes)]
      return row({ server: name }, values, ...targets)
    }
    const oursToIt = ratio(timingOf(timings, ours), timing)
    return row({ server: name }, { ...values, oursToIt }, atMost("oursToIt", 1))
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
    servers.map(({ name, server }) => ({ name, run: () => timed(() => call(server, calls)) })),
    { calls }
  )
  const rows = new Array<Row>()
  for (const { name, server } of servers) {
    await call(server, callsBeforeMemory)
    const timing = timingOf(timings, name)
    const values = {
      time: median(timing.micros),
      ...(name === bareSdk ? {} : { over: difference(timing, timingOf(timings, bareSdk)) }),
      resident: residentMebibytes(server)
    }
    const oursToIt = ratio(timingOf(timings, ours), timing)
    rows.push(
      name === ours
        ? row({ server: name }, values, atMost("over", maxOverheadMicros))
        : row({ server: name }, { ...values, oursToIt }, atMost("oursToIt", 1))
    )
    await server.stop()
  }
  return rows
}

export const mcp = async (): Promise<Sections> => {
  const { http, source, stdio } = await prepare()
  return {
    mcpStart: {
      units: { time: "ms", over: "ms", resident: "MiB", oursToIt: "×" },
      rows: await startRows(new Map([...stdio, [oursFromSource, source]]))
    },
    mcpCall: {
      units: { time: "µs", over: "µs", resident: "MiB", oursToIt: "×" },
      rows: await callRows(stdio)
    },
    mcpClients: await callsOverHttp(http)
  }
}
