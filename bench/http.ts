/**
 * What one decoded call costs, against the bare HTTP clients of Node.
 */
import { withServer } from "./child.ts"
import {
  bareFetch,
  bareUndici,
  type Client,
  coreClients,
  coreOnUndici,
  fetchClient,
  type Load,
  type Operation,
  undiciClient
} from "./clients.ts"
import { alternate, median, ratio, type Timing, timingOf } from "./measure.ts"
import { atMost, type Row, type Section, targetColumns, times, verdict } from "./report.ts"

/** In one turn of a contender. */
const calls = 200

const turns = 2

const operations: ReadonlyArray<Operation> = ["getSmsStatus", "sendSms"]

const maxRatioToFetch = 1
const maxRatioToUndici = 2

const row =
  (operation: Operation, { workers }: Load, timings: ReadonlyArray<Timing>) =>
  (timing: Timing): Row => {
    const toFetch = ratio(timing, timingOf(timings, bareFetch))
    const toUndici = ratio(timing, timingOf(timings, bareUndici))
    const targets =
      timing.name === coreOnUndici
        ? [atMost(maxRatioToFetch, toFetch, times), atMost(maxRatioToUndici, toUndici, times)]
        : []
    return [
      `\`${operation}\``,
      String(workers),
      timing.name,
      median(timing.micros).toFixed(0),
      times(toFetch),
      times(toUndici),
      ...verdict(...targets)
    ]
  }

const rowsOf = async (
  clients: ReadonlyArray<Client>,
  operation: Operation,
  load: Load
): Promise<ReadonlyArray<Row>> => {
  const timings = await alternate(
    clients.map(({ name, run }) => ({ name, run: () => run(operation, load) })),
    { calls: load.calls, turns }
  )
  return timings.map(row(operation, load, timings))
}

const measure = async (url: string): Promise<ReadonlyArray<Row>> => {
  const clients = [fetchClient(url), undiciClient(url), ...(await coreClients(url))]
  const rows = new Array<Row>()
  for (const operation of operations) {
    for (const workers of [1, 50]) {
      rows.push(...(await rowsOf(clients, operation, { calls, workers })))
    }
  }
  await Promise.all(clients.map(({ close }) => close()))
  return rows
}

export const http = async (): Promise<Section> => ({
  title: "A call",
  text: `One call on loopback, its response decoded, one at a time and 50 at once. Traced is with the tracer
that Effect has by default. The server has a process of its own and writes fixed responses, so that the time
is the client's. The targets are ratios: to \`fetch\`, then to \`undici.request\`.`,
  columns: [
    "operation",
    "at once",
    "client",
    "µs a call",
    "to `fetch`",
    "to `undici`",
    ...targetColumns
  ],
  rows: await withServer(new URL("server.ts", import.meta.url), measure)
})
