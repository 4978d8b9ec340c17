/**
 * The cost of the journal: the rows of a campaign, sent with and without it.
 */
import * as Schema from "effect/Schema"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { noPostgres, startPostgres } from "../test/journal/support/PostgresServer.ts"
import { withServer, withWorker } from "./child.ts"
import { alternate, type Contender, type Cost, median, type Timing } from "./measure.ts"
import type { Row, Sections } from "./report/results.ts"
import { atLeast, row } from "./report/rows.ts"

const rowsOfASlice = 500
const slowMillis = 20

const cost = Schema.decodeUnknownSync(
  Schema.Struct({ wall: Schema.Finite, processor: Schema.Finite })
)

interface Sender {
  readonly name: string
  readonly atOnce: number
  /** Where the journal is. Without it, the rows are sent without a journal. */
  readonly journal?: string
  /** How many processes share the work. */
  readonly workers: number
  /** The minimum ratio of its rate to the rate of another sender. */
  readonly target?: readonly [other: string, minimum: number]
}

/** Converts the costs of several processes, each with a slice, to the cost of one slice. */
const costPerSlice = (costs: ReadonlyArray<Cost>): Cost => ({
  wall: Math.max(...costs.map(({ wall }) => wall)) / costs.length,
  processor: costs.reduce((sum, { processor }) => sum + processor, 0) / costs.length
})

/** Starts the processes of all senders, one inside the other, and then measures. */
const withSenders = (
  url: string,
  [first, ...rest]: ReadonlyArray<Sender>,
  contenders: ReadonlyArray<Contender> = []
): Promise<ReadonlyArray<Timing>> => {
  if (first === undefined) return alternate(contenders, { calls: rowsOfASlice })
  const { atOnce, journal, name, workers } = first
  const asks = new Array<() => Promise<unknown>>()
  const startWorkers = (left: number): Promise<ReadonlyArray<Timing>> => {
    if (left === 0) {
      const run = async () =>
        costPerSlice((await Promise.all(asks.map((ask) => ask()))).map((each) => cost(each)))
      return withSenders(url, rest, [...contenders, { name, run }])
    }
    const campaign = `${name} ${left}`
    const args = [url, String(atOnce), ...(journal === undefined ? [] : [journal, campaign])]
    return withWorker(new URL("campaignRun.ts", import.meta.url), args, ({ ask }) => {
      asks.push(() => ask("slice"))
      return startWorkers(left - 1)
    })
  }
  return startWorkers(workers)
}

const rowsOf = (
  senders: ReadonlyArray<Sender>,
  timings: ReadonlyArray<Timing>
): ReadonlyArray<Row> => {
  const microsOf = (name: string) => timings.find((each) => each.name === name)?.micros ?? []
  return timings.map((timing) => {
    const rate = 1_000_000 / median(timing.micros)
    const processor = median(timing.processorMicros)
    const target = senders.find(({ name }) => name === timing.name)?.target
    if (target === undefined) return row({ sender: timing.name }, { rate, processor })
    const [reference, minimum] = target
    const ratios = timing.micros.map(
      (each, round) => (microsOf(reference)[round] ?? Number.NaN) / each
    )
    return row(
      { sender: timing.name, reference },
      { rate, processor, ratio: median(ratios) },
      atLeast("ratio", minimum)
    )
  })
}

const measure = async (
  folder: string,
  postgres: string | undefined
): Promise<ReadonlyArray<Row>> => {
  const file = `sqlite:${join(folder, "journal.db")}`
  const fast: ReadonlyArray<Sender> = [
    { name: "no journal", atOnce: 50, workers: 1 },
    { name: "SQLite", atOnce: 50, journal: file, workers: 1, target: ["no journal", 0.7] },
    ...(postgres === undefined
      ? []
      : [
          {
            name: "PostgreSQL, two workers",
            atOnce: 50,
            journal: postgres,
            workers: 2,
            target: ["no journal", 0.5]
          } as const
        ])
  ]
  const slow: ReadonlyArray<Sender> =
    postgres === undefined
      ? []
      : [
          {
            name: `one worker, ${slowMillis} ms per response`,
            atOnce: 20,
            journal: postgres,
            workers: 1
          },
          {
            name: `two workers, ${slowMillis} ms per response`,
            atOnce: 20,
            journal: postgres,
            workers: 2,
            target: [`one worker, ${slowMillis} ms per response`, 1.6]
          }
        ]
  const server = new URL("server.ts", import.meta.url)
  const measured = await withServer(server, (url) => withSenders(url, fast))
  const delayed = await withServer(server, (url) => withSenders(url, slow), String(slowMillis))
  return [...rowsOf(fast, measured), ...rowsOf(slow, delayed)]
}

export const campaign = async (): Promise<Sections> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-campaign-"))
  const postgres = noPostgres === undefined ? await startPostgres() : undefined
  try {
    return {
      campaign: {
        units: { rate: "rows per second", processor: "µs", ratio: "×" },
        rows: await measure(folder, postgres && `postgres:${postgres.port}`)
      }
    }
  } finally {
    await postgres?.stop()
    rmSync(folder, { recursive: true })
  }
}
