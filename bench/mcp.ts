/**
 * The cost of the MCP server: its start, its memory, its list of tools, a call.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { tokensOf } from "./comparison/tokens.js"
import { callsOverHttp } from "./mcpClients.ts"
import { bareSdk, open, ours, oursFromSource, prepare, type Server, toolsOf } from "./mcpServers.ts"
import { alternate, median, timed, timingOf, ratio } from "./measure.ts"
import { memoryOf } from "./memory.ts"
import { progress } from "./progress.ts"
import type { Row, Section, Sections } from "./report/results.ts"
import { atMost, row } from "./report/rows.ts"

const rounds = 15

const maxStartMillis = 100
const maxResidentMebibytes = 70
const maxOverheadMicros = 10
const maxListBytes = 7.5 * 1024

const calls = 250
const turns = 2
const callsBeforeMemory = 10_000

const bareNode = "(`node -e 0`)"

const residentMebibytes = ({ pid }: Server): number => memoryOf("VmRSS", pid) / 2 ** 20

interface Started {
  readonly millis: number
  readonly resident: number
}

const startNode = async (): Promise<Started> => {
  const began = performance.now()
  await once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit")
  return { millis: performance.now() - began, resident: Number.NaN }
}

const startServer = async (file: string): Promise<Started> => {
  const began = performance.now()
  const server = open(file)
  toolsOf(await server.request("tools/list", {}))
  const started = { millis: performance.now() - began, resident: residentMebibytes(server) }
  await server.stop()
  return started
}

const startRows = async (files: ReadonlyMap<string, string>): Promise<ReadonlyArray<Row>> => {
  const contenders = [
    { name: bareNode, start: startNode, all: new Array<Started>() },
    ...[...files].map(([name, file]) => ({
      name,
      start: () => startServer(file),
      all: new Array<Started>()
    }))
  ]
  // The first round fills the compile cache. It is not measured.
  for (const { start } of contenders) await start()
  for (let round = 0; round < rounds; round++) {
    for (const { all, start } of contenders) all.push(await start())
  }
  const millisOf = (name: string) =>
    contenders.find((each) => each.name === name)?.all.map(({ millis }) => millis) ?? []
  const against = (name: string, of: (value: number, other: number) => number, other: string) =>
    median(millisOf(name).map((value, round) => of(value, millisOf(other)[round] ?? Number.NaN)))
  return contenders.map(({ all, name }) => {
    const time = median(millisOf(name))
    if (name === bareNode) return row({ server: name }, { time })
    const values = {
      time,
      over: against(name, (value, bare) => value - bare, bareNode),
      resident: median(all.map(({ resident }) => resident))
    }
    if (name === oursFromSource) return row({ server: name }, values)
    if (name === ours) {
      const targets = [atMost("time", maxStartMillis), atMost("resident", maxResidentMebibytes)]
      return row({ server: name }, values, ...targets)
    }
    const oursToIt = against(ours, (value, other) => value / other, name)
    return row({ server: name }, { ...values, oursToIt }, atMost("oursToIt", 1))
  })
}

const preview = { name: "preview_sms", arguments: { message: "Your code is 4711" } }

const callRows = async (files: ReadonlyMap<string, string>): Promise<ReadonlyArray<Row>> => {
  const servers = [...files].map(([name, file]) => ({ name, server: open(file) }))
  for (const { name, server } of servers) {
    const response = await server.request("tools/call", preview)
    if (!response.includes('"segments":1')) throw new Error(`${name} responds ${response}`)
  }
  const timings = await alternate(
    servers.map(({ name, server }) => ({
      name,
      run: () =>
        timed(async () => {
          for (let call = 0; call < calls; call++) await server.request("tools/call", preview)
        })
    })),
    { calls, turns }
  )
  const bare = timingOf(timings, bareSdk).micros
  const rows = new Array<Row>()
  for (const { name, server } of servers) {
    for (let call = 0; call < callsBeforeMemory; call++) await server.request("tools/call", preview)
    const timing = timingOf(timings, name)
    const over = median(timing.micros.map((value, at) => value - (bare[at] ?? Number.NaN)))
    const values = {
      time: median(timing.micros),
      ...(name === bareSdk ? {} : { over }),
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

const costOf = async (tools: unknown) => {
  const json = JSON.stringify(tools)
  return { bytes: Buffer.byteLength(json), tokens: await tokensOf(json) }
}

const listSection = async (list: string): Promise<Section> => {
  const rows = new Array<Row>()
  for (const tool of toolsOf(list)) {
    rows.push(row({ tool: `\`${tool.name}\`` }, await costOf(tool)))
  }
  const all = await costOf(toolsOf(list))
  rows.push(row({ tool: "all" }, all, atMost("bytes", maxListBytes)))
  return { units: { bytes: "bytes", tokens: "tokens" }, rows }
}

export const mcp = async (): Promise<Sections> => {
  const { http, list, source, stdio } = await prepare()
  progress("mcp: start")
  const started = await startRows(new Map([...stdio, [oursFromSource, source]]))
  progress("mcp: calls over stdio")
  const called = await callRows(stdio)
  return {
    mcpStart: {
      units: { time: "ms", over: "ms", resident: "MiB", oursToIt: "×" },
      rows: started
    },
    mcpList: await listSection(list),
    mcpCall: {
      units: { time: "µs", over: "µs", resident: "MiB", oursToIt: "×" },
      rows: called
    },
    mcpClients: await callsOverHttp(http)
  }
}
