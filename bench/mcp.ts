/**
 * What the MCP server costs: its start, its memory, a call.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { bareSdk, open, ours, prepare, residentBytes, toolsOf } from "./mcpServers.ts"
import { alternate, median, timed, timingOf } from "./measure.ts"
import { atMost, type Row, type Section, targetColumns, verdict } from "./report.ts"

const rounds = 15

const maxStartMillis = 100
const maxResidentMebibytes = 70
const maxOverheadMicros = 10
const maxListBytes = 7.5 * 1024

const calls = 250
const turns = 2
const callsBeforeMemory = 10_000

const bareNode = "(`node -e 0`)"

const mebibytes = (bytes: number): number => bytes / 2 ** 20

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
  await server.request("tools/list", {})
  const started = { millis: performance.now() - began, resident: residentBytes(server) }
  await server.stop()
  return started
}

const startRows = async (
  files: ReadonlyMap<string, string>,
  list: string
): Promise<ReadonlyArray<Row>> => {
  const contenders = [
    { name: bareNode, start: startNode, all: new Array<Started>() },
    ...[...files].map(([name, file]) => ({
      name,
      start: () => startServer(file),
      all: new Array<Started>()
    }))
  ]
  // The first round fills the compile cache, as the first start of an installation does.
  for (const { start } of contenders) await start()
  for (let round = 0; round < rounds; round++) {
    for (const { all, start } of contenders) all.push(await start())
  }
  const millisOf = (name: string) =>
    contenders.find((each) => each.name === name)?.all.map(({ millis }) => millis) ?? []
  return contenders.map(({ all, name }) => {
    const millis = median(millisOf(name))
    const over = median(
      millisOf(name).map((value, round) => value - (millisOf(bareNode)[round] ?? Number.NaN))
    )
    const resident = mebibytes(median(all.map((started) => started.resident)))
    const size = Buffer.byteLength(JSON.stringify(toolsOf(list)))
    const targets =
      name === ours
        ? [
            atMost(maxStartMillis, millis, (limit) => `${limit} ms`),
            atMost(maxResidentMebibytes, resident, (limit) => `${limit} MiB`),
            atMost(maxListBytes, size, (limit) => `${limit} bytes`)
          ]
        : []
    return [
      name,
      millis.toFixed(0),
      name === bareNode ? "" : over.toFixed(0),
      name === bareNode ? "" : resident.toFixed(0),
      name === ours ? String(size) : "",
      ...verdict(...targets)
    ]
  })
}

const preview = { name: "preview_sms", arguments: { message: "Your code is 4711" } }

const callRows = async (files: ReadonlyMap<string, string>): Promise<ReadonlyArray<Row>> => {
  const servers = [bareSdk, ours].map((name) => ({ name, server: open(files.get(name) ?? "") }))
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
    const { micros } = timingOf(timings, name)
    const over = median(micros.map((value, round) => value - (bare[round] ?? Number.NaN)))
    rows.push([
      name,
      median(micros).toFixed(0),
      name === bareSdk ? "" : over.toFixed(0),
      mebibytes(residentBytes(server)).toFixed(0),
      ...(name === ours
        ? verdict(atMost(maxOverheadMicros, over, (limit) => `${limit} µs`))
        : verdict())
    ])
    await server.stop()
  }
  return rows
}

export const mcp = async (): Promise<ReadonlyArray<Section>> => {
  const { files, list } = await prepare()
  return [
    {
      title: "MCP server: start",
      text: `A fresh process to its first response to \`tools/list\` over stdio, not the first start of an
installation, and the memory that is resident then. The bare SDK lists the same tools, checks nothing and
knows no service. The last figure is the size of that list. What ours takes longer is the compile of Effect and of
the schemas, which comes from Node's compile cache from the second start on.`,
      columns: ["server", "ms", "over `node -e 0`, ms", "resident, MiB", "bytes", ...targetColumns],
      rows: await startRows(files, list)
    },
    {
      title: "MCP server: a call",
      text: `\`preview_sms\` over stdio, one at a time, its arguments and its response checked, in a client that
only parses lines; what it is over the bare SDK, whose tool returns a constant unchecked; and the memory that
is resident after ${callsBeforeMemory.toLocaleString("en")} more.`,
      columns: ["server", "µs a call", "over the SDK, µs", "resident, MiB", ...targetColumns],
      rows: await callRows(files)
    }
  ]
}
