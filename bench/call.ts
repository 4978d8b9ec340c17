/**
 * The cost of one decoded call, compared with the bare HTTP clients of Node and with well-known clients.
 */
import { withServer, withWorkers, type Worker } from "./child.ts"
import { type ClientName, operations, otherNames, ownClients } from "./clients.ts"
import { alternate, decodeCost, median, processorRatio, ratio, timingOf } from "./measure.ts"
import { atMost, type Row, row, type Sections } from "./results.ts"

/** The calls in one turn of a contender. */
const calls = 1_000

const warmUpCalls = 10_000

const timeoutMillis = 30_000

const bareFetch: ClientName = "`fetch` + `JSON.parse`"
const bareUndici: ClientName = "`undici.request` + `JSON.parse`"
const core: ClientName = "core on `/node`"

const names = [...Object.keys(ownClients), ...otherNames]

const isOther = (name: string) => otherNames.some((other) => other === name)

const targetsOf = (name: string) => {
  if (isOther(name)) return [atMost("coreToIt", 1)]
  if (name === "core on `/fetch`") return [atMost("toFetch", 1.7)]
  return name.startsWith("core") ? [atMost("toFetch", 0.6), atMost("toUndici", 1.5)] : []
}

const measure = async (clients: ReadonlyArray<Worker>): Promise<ReadonlyArray<Row>> => {
  const cases = operations.flatMap((operation) =>
    [1, 50].map((workers) => ({ operation, workers }))
  )
  // Warms up each client until the JIT compiler has finished.
  for (const each of cases) {
    for (const { ask } of clients) await ask({ ...each, calls: warmUpCalls })
  }
  const rows = new Array<Row>()
  for (const { operation, workers } of cases) {
    const timings = await alternate(
      clients.map(({ ask, name }) => ({
        name,
        run: async () => decodeCost(await ask({ operation, workers, calls }))
      })),
      { calls, warmUpRounds: 1 }
    )
    const fetched = timingOf(timings, bareFetch)
    const requested = timingOf(timings, bareUndici)
    for (const timing of timings) {
      const labels = { operation: `\`${operation}\``, atOnce: String(workers), client: timing.name }
      const values = {
        wall: median(timing.micros),
        processor: median(timing.processorMicros),
        toFetch: ratio(timing, fetched),
        processorToFetch: processorRatio(timing, fetched),
        toUndici: ratio(timing, requested),
        ...(isOther(timing.name) ? { coreToIt: ratio(timingOf(timings, core), timing) } : {})
      }
      rows.push(row(labels, values, ...targetsOf(timing.name)))
    }
  }
  return rows
}

export const call = async (): Promise<Sections> => ({
  call: {
    units: {
      wall: "µs",
      processor: "µs",
      toFetch: "×",
      processorToFetch: "×",
      toUndici: "×",
      coreToIt: "×"
    },
    rows: await withServer(new URL("server.ts", import.meta.url), (url) =>
      withWorkers(
        new URL("contender.ts", import.meta.url),
        names.map((name) => ({ name, args: [name, url, String(timeoutMillis)] })),
        measure
      )
    )
  }
})
