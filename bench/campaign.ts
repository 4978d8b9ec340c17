/**
 * The cost of the journal: the rows of a campaign, sent with and without it.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { noPostgres, startPostgres } from "../test/journal/support/PostgresServer.ts"
import { withServer, withWorkers } from "./child.ts"
import { alternate, type Cost, decodeCost, median, ratio, timingOf } from "./measure.ts"
import { atLeast, type Row, row, type Sections } from "./results.ts"

/** A campaign begins with one request in flight, so it has many times as many rows as it has requests. */
const rowsOfACampaign = 2000

interface Sender {
  readonly name: string
  /** Where the journal is. Without it, the rows are sent without a journal. */
  readonly journal?: string
  /** How many processes share the work. */
  readonly workers: number
  /** The minimum ratio of its rate to the rate of the first sender. */
  readonly minimum?: number
}

/** The cost of a campaign that several processes share. */
const costPerCampaign = (costs: ReadonlyArray<Cost>): Cost => ({
  wall: Math.max(...costs.map(({ wall }) => wall)),
  processor: costs.reduce((sum, { processor }) => sum + processor, 0)
})

/** Sends with each sender in turns, to a server that delays each response. */
const rowsOf = (
  senders: ReadonlyArray<Sender>,
  atOnce: number,
  delayMillis: number
): Promise<ReadonlyArray<Row>> => {
  const measure = async (url: string): Promise<ReadonlyArray<Row>> => {
    const programs = senders.flatMap(({ journal, name, workers }) =>
      Array.from({ length: workers }, () => ({
        name,
        args: [
          url,
          String(atOnce),
          String(rowsOfACampaign),
          ...(journal === undefined ? [] : [journal, name])
        ]
      }))
    )
    const timings = await withWorkers(new URL("campaignRun.ts", import.meta.url), programs, (all) =>
      alternate(
        senders.map(({ name }) => ({
          name,
          run: async () => {
            const costs = all
              .filter((worker) => worker.name === name)
              .map(({ ask }) => ask("campaign"))
            return costPerCampaign((await Promise.all(costs)).map((cost) => decodeCost(cost)))
          }
        })),
        { calls: rowsOfACampaign }
      )
    )
    const [reference = ""] = senders.map(({ name }) => name)
    return senders.map(({ minimum, name }) => {
      const timing = timingOf(timings, name)
      const rate = 1_000_000 / median(timing.micros)
      const values = { rate, processor: median(timing.processorMicros) }
      return minimum === undefined
        ? row({ sender: name }, values)
        : row(
            { sender: name, reference },
            { ...values, ratio: ratio(timingOf(timings, reference), timing) },
            atLeast("ratio", minimum)
          )
    })
  }
  return withServer(new URL("server.ts", import.meta.url), measure, String(delayMillis))
}

const measure = async (folder: string, journal?: string): Promise<ReadonlyArray<Row>> => {
  const file = `sqlite:${join(folder, "journal.db")}`
  const fast = [
    { name: "no journal", workers: 1 },
    { name: "SQLite", journal: file, workers: 1, minimum: 0.4 }
  ]
  if (journal === undefined) return rowsOf(fast, 50, 0)
  const shared = { name: "PostgreSQL", journal, workers: 1, minimum: 0.35 }
  const slow = [
    { name: "one process, 20 ms per response", journal, workers: 1 },
    { name: "two processes, 20 ms per response", journal, workers: 2, minimum: 1.8 }
  ]
  return [...(await rowsOf([...fast, shared], 50, 0)), ...(await rowsOf(slow, 20, 20))]
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
