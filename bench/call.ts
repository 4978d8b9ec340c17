/**
 * The cost of one decoded call, compared with the bare HTTP clients of Node and with well-known clients.
 */
import { withServer, withWorkers, type Worker } from "./child.ts"
import { type ClientName, operations, otherNames, ownClients } from "./clients.ts"
import { alternate, decodeCost, median, processorRatio, timingOf } from "./measure.ts"
import { atMost, type Row, row, type Sections } from "./results.ts"

/** The calls in one turn of a contender. */
const calls = 1_000

const warmUpCalls = 10_000

const timeoutMillis = 30_000

const bareFetch: ClientName = "`fetch` + `JSON.parse`"
const bareUndici: ClientName = "`undici.request` + `JSON.parse`"
const core: ClientName = "core on `/node`"

const cases = operations.flatMap((operation) => [1, 50].map((workers) => ({ operation, workers })))

type Case = (typeof cases)[number]

const names = [...Object.keys(ownClients), ...otherNames]

const isOther = (name: string) => otherNames.some((other) => other === name)

const promiseClient: ClientName = "core `/promise`"

const targetsOf = (name: string, { operation, workers }: Case) => {
  if (isOther(name)) return [atMost("coreToIt", 1)]
  if (name === "core on `/fetch`") return [atMost("toFetch", 1.7)]
  if (name !== core && name !== promiseClient) return []
  if (workers === 1) return [atMost("toUndici", 1.2)]
  const isSendOfPromises = name === promiseClient && operation === "sendSms"
  return [atMost("toFetch", 0.4), atMost("toUndici", isSendOfPromises ? 1.35 : 1.3)]
}

const measure = async (clients: ReadonlyArray<Worker>): Promise<ReadonlyArray<Row>> => {
  // Warms up each client until the JIT compiler has finished.
  for (const each of cases) {
    for (const { ask } of clients) await ask({ ...each, calls: warmUpCalls })
  }
  const rows = new Array<Row>()
  for (const each of cases) {
    const { operation, workers } = each
    const timings = await alternate(
      clients.map(({ ask, name }) => ({
        name,
        run: async () => decodeCost(await ask({ ...each, calls }))
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
        toFetch: processorRatio(timing, fetched),
        toUndici: processorRatio(timing, requested),
        ...(isOther(timing.name)
          ? { coreToIt: processorRatio(timingOf(timings, core), timing) }
          : {})
      }
      rows.push(row(labels, values, ...targetsOf(timing.name, each)))
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
