/**
 * What one decoded call costs, against the bare HTTP clients of Node and against clients that a reader
 * knows.
 */
import * as Schema from "effect/Schema"
import { withServer, withWorker, type Worker } from "./child.ts"
import { type ClientName, type Operation, operations, otherNames, ownClients } from "./clients.ts"
import {
  alternate,
  type Contender,
  median,
  processorRatio,
  ratio,
  type Timing,
  timingOf
} from "./measure.ts"
import {
  atMost,
  type Row,
  type Section,
  type Target,
  targetColumns,
  times,
  verdict
} from "./report.ts"

/** In one turn of a contender. */
const calls = 1_000

const warmUpCalls = 10_000

const timeoutMillis = 30_000

const bareFetch: ClientName = "`fetch` + `JSON.parse`"
const bareUndici: ClientName = "`undici.request` + `JSON.parse`"

const names = [...Object.keys(ownClients), ...otherNames]

/** To `fetch`, then to `undici.request`. */
const maxRatios: Readonly<Record<string, readonly [number, number?]>> = {
  "core on `/node`": [0.6, 1.5],
  "core `/promise`": [0.6, 1.5],
  "core on `/fetch`": [1.7]
} satisfies Readonly<Partial<Record<ClientName, readonly [number, number?]>>>

const targetsOf = (name: string, toFetch: number, toUndici: number): ReadonlyArray<Target> => {
  const [maxToFetch, maxToUndici] = maxRatios[name] ?? []
  return [
    ...(maxToFetch === undefined ? [] : [atMost(maxToFetch, toFetch, times)]),
    ...(maxToUndici === undefined ? [] : [atMost(maxToUndici, toUndici, times)])
  ]
}

const row =
  (operation: Operation, workers: number, timings: ReadonlyArray<Timing>) =>
  (timing: Timing): Row => {
    const toFetch = ratio(timing, timingOf(timings, bareFetch))
    const toUndici = ratio(timing, timingOf(timings, bareUndici))
    return [
      `\`${operation}\``,
      String(workers),
      timing.name,
      median(timing.micros).toFixed(0),
      median(timing.processorMicros).toFixed(0),
      times(toFetch),
      times(processorRatio(timing, timingOf(timings, bareFetch))),
      times(toUndici),
      ...verdict(...targetsOf(timing.name, toFetch, toUndici))
    ]
  }

const cost = Schema.decodeUnknownSync(
  Schema.Struct({ wall: Schema.Finite, processor: Schema.Finite })
)

type Workers = ReadonlyArray<readonly [name: string, worker: Worker]>

const contenders = (
  all: Workers,
  operation: Operation,
  workers: number
): ReadonlyArray<Contender> =>
  all.map(([name, worker]) => ({
    name,
    run: async () => cost(await worker.ask({ operation, calls, workers }))
  }))

const measure = async (all: Workers): Promise<ReadonlyArray<Row>> => {
  // Until the compiler is done with each.
  for (const operation of operations) {
    for (const workers of [1, 50]) {
      for (const [, worker] of all) await worker.ask({ operation, calls: warmUpCalls, workers })
    }
  }
  const rows = new Array<Row>()
  for (const operation of operations) {
    for (const workers of [1, 50]) {
      const timings = await alternate(contenders(all, operation, workers), {
        calls,
        warmUpRounds: 1
      })
      rows.push(...timings.map(row(operation, workers, timings)))
    }
  }
  return rows
}

/** Every client in a process of its own, all of them at hand at once. */
const withClients = <A>(
  url: string,
  [name, ...others]: ReadonlyArray<string>,
  use: (all: Workers) => Promise<A>,
  started: Workers = []
): Promise<A> =>
  name === undefined
    ? use(started)
    : withWorker(
        new URL("contender.ts", import.meta.url),
        [name, url, String(timeoutMillis)],
        (worker) => withClients(url, others, use, [...started, [name, worker]])
      )

export const http = async (): Promise<Section> => ({
  title: "A call",
  text: `One call on loopback, its response decoded, one at a time and 50 at once. Every client has a process of its own, and
so has the server, which writes fixed responses: the time is the client's. Wall is what a call takes,
processor what it costs. The targets are ratios of wall: to \`fetch\`, then to \`undici.request\`. Core is
traced with the tracer that Effect has by default. Beside the HTTP client under it, a call of core spans, counts,
bounds, decodes and runs as an Effect: about 25 µs, which is where a ratio to \`undici.request\` is not met.`,
  columns: [
    "operation",
    "at once",
    "client",
    "wall, µs",
    "processor, µs",
    "wall to `fetch`",
    "processor to `fetch`",
    "wall to `undici`",
    ...targetColumns
  ],
  rows: await withServer(new URL("server.ts", import.meta.url), (url) =>
    withClients(url, names, measure)
  )
})
