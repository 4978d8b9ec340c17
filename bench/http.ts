/**
 * The cost of one decoded call, compared with the bare HTTP clients of Node and with well-known clients.
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
import type { Row, Sections } from "./report/results.ts"
import { atMost, row } from "./report/rows.ts"

/** The calls in one turn of a contender. */
const calls = 1_000

const warmUpCalls = 10_000

const timeoutMillis = 30_000

const bareFetch: ClientName = "`fetch` + `JSON.parse`"
const bareUndici: ClientName = "`undici.request` + `JSON.parse`"
const core: ClientName = "core on `/node`"

const names = [...Object.keys(ownClients), ...otherNames]

/** The maximum ratios to `fetch` and to `undici.request`. */
const maxRatios: Readonly<Record<string, readonly [number, number?]>> = {
  "core on `/node`": [0.6, 1.5],
  "core `/promise`": [0.6, 1.5],
  "core on `/fetch`": [1.7]
} satisfies Readonly<Partial<Record<ClientName, readonly [number, number?]>>>

const targetsOf = (name: string) => {
  const [maxToFetch, maxToUndici] = maxRatios[name] ?? []
  return [
    ...(maxToFetch === undefined ? [] : [atMost("toFetch", maxToFetch)]),
    ...(maxToUndici === undefined ? [] : [atMost("toUndici", maxToUndici)])
  ]
}

const isOther = (name: string) => otherNames.some((other) => other === name)

const rowOf =
  (operation: Operation, workers: number, timings: ReadonlyArray<Timing>) =>
  (timing: Timing): Row =>
    row(
      { operation: `\`${operation}\``, atOnce: String(workers), client: timing.name },
      {
        wall: median(timing.micros),
        processor: median(timing.processorMicros),
        toFetch: ratio(timing, timingOf(timings, bareFetch)),
        processorToFetch: processorRatio(timing, timingOf(timings, bareFetch)),
        toUndici: ratio(timing, timingOf(timings, bareUndici)),
        ...(isOther(timing.name) ? { coreToIt: ratio(timingOf(timings, core), timing) } : {})
      },
      ...targetsOf(timing.name),
      ...(isOther(timing.name) ? [atMost("coreToIt", 1)] : [])
    )

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
  // Warms up each client until the JIT compiler has finished.
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
      rows.push(...timings.map(rowOf(operation, workers, timings)))
    }
  }
  return rows
}

/** Starts a process for each client, and runs `use` when all are ready. */
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

export const http = async (): Promise<Sections> => ({
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
      withClients(url, names, measure)
    )
  }
})
