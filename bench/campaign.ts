/**
 * The rate of a campaign: what the journal costs, what a second process brings, and what slow responses
 * cost.
 */
import { join } from "node:path"
import { temporaryFolder } from "../scripts/support.ts"
import { noPostgres, startPostgres } from "../test/harness/journal/PostgresServer.ts"
import { type Program, start, startServer, stopAll } from "./child.ts"
import { alternate, type Cost, ratio, shareOf } from "./measure.ts"
import { millionRows } from "./million.ts"
import { atLeast, type Row, type Table } from "./table.ts"

interface Journal {
  readonly name: string
  readonly place: string
  /** The minimum rate, relative to the client without a journal. */
  readonly minRate: number
}

interface Sender {
  readonly name: string
  /** Without it, the rows are sent without a journal. */
  readonly journal?: string
  /** How many processes share each campaign. */
  readonly processes: number
}

interface Sending {
  readonly name: string
  /** Requests in flight in each process. */
  readonly atOnce: number
  /** In milliseconds, for `server.ts`. */
  readonly delays: ReadonlyArray<number>
  /** Of one campaign. It begins with one request in flight, so they are many times as many as requests in flight. */
  readonly rows: number
  readonly rounds: number
}

let campaigns = 0

/** All processes of a sender send one new campaign together. */
const sendCampaign = async (processes: ReadonlyArray<Program>, rows: number): Promise<Cost> => {
  const command = { campaign: `bench ${++campaigns}`, rows }
  const costs = await Promise.all(processes.map(async ({ ask }) => (await ask(command)) as Cost))
  return {
    wall: Math.max(...costs.map(({ wall }) => wall)),
    processor: costs.reduce((sum, { processor }) => sum + processor, 0)
  }
}

const startProcesses = (
  { journal, processes }: Sender,
  url: string,
  atOnce: number
): Promise<ReadonlyArray<Program>> => {
  const args = [url, String(atOnce), ...(journal === undefined ? [] : [journal])]
  const program = new URL("campaignRun.ts", import.meta.url)
  return Promise.all(Array.from({ length: processes }, () => start(program, args)))
}

/** The rate of a sender, relative to that of another one in the same run. */
const relativeRow = async (
  [one, other]: readonly [Sender, Sender],
  { atOnce, delays, name, rounds, rows }: Sending,
  minRate: number
): Promise<Row> => {
  const server = await startServer(...delays)
  const processes = await startProcesses(one, server.url, atOnce)
  const others = await startProcesses(other, server.url, atOnce)
  const contenders = [
    { name: one.name, run: () => sendCampaign(processes, rows) },
    { name: other.name, run: () => sendCampaign(others, rows) }
  ]
  const costs = await alternate(contenders, { rounds, warmUpRounds: 1 })
  await stopAll([...processes, ...others, server])
  return {
    labels: [one.name, name, other.name],
    unit: "×",
    target: atLeast(minRate),
    figures: [ratio(costs, other.name, one.name, "wall")]
  }
}

/** Nothing takes time but the journal. */
const immediate = {
  name: "50 in flight, immediate responses",
  atOnce: 50,
  delays: [],
  rows: shareOf(5_000),
  rounds: 15
}

/** Processes share the rows in large parts, so there are many rows. */
const delayed = {
  name: "20 in flight each, responses after 20 ms",
  atOnce: 20,
  delays: [20],
  rows: shareOf(20_000),
  rounds: 3
}

const minRateOfTwo = 1.8

const journalRows = async (journal: Journal): Promise<ReadonlyArray<Row>> => {
  const bare = { name: "the client without a journal", processes: 1 }
  const one = { name: `one process, ${journal.name}`, journal: journal.place, processes: 1 }
  const two = { name: `two processes, ${journal.name}`, journal: journal.place, processes: 2 }
  return [
    await relativeRow([one, bare], immediate, journal.minRate),
    await relativeRow([two, one], delayed, minRateOfTwo)
  ]
}

const usualMillis = 100
const slowMillis = 3_000
const slowShare = 0.01
const possibleSeconds = shareOf(40)

/** Every hundredth response is slow. No request may wait for the slowest. */
const slowRow = async (
  { name: on, place }: Journal,
  atOnce: number,
  minRate: number
): Promise<Row> => {
  const possibleRate = (atOnce * 1000) / ((1 - slowShare) * usualMillis + slowShare * slowMillis)
  const rows = Math.round(possibleRate * possibleSeconds)
  const sender = { name: `one process, ${on}`, journal: place, processes: 1 }
  const server = await startServer(usualMillis, slowMillis)
  const processes = await startProcesses(sender, server.url, atOnce)
  const { wall } = await sendCampaign(processes, rows)
  await stopAll([...processes, server])
  const responses = `${atOnce} in flight, responses after 100 ms, 1 % of them after 3 s`
  return {
    labels: [sender.name, responses, "the possible rate"],
    unit: "×",
    target: atLeast(minRate),
    figures: [(rows * 1_000_000) / wall / possibleRate]
  }
}

export const campaign = async function* (): AsyncGenerator<Table> {
  const file = join(temporaryFolder(), "journal.sqlite")
  const sqlite = { name: "SQLite", place: `sqlite:${file}`, minRate: 0.4 }
  const rows = [...(await journalRows(sqlite))]
  if (noPostgres === undefined) {
    const { port, stop } = await startPostgres()
    const place = `postgres:${port}`
    rows.push(...(await journalRows({ name: "PostgreSQL", place, minRate: 0.35 })))
    await stop()
  } else console.error(`Without PostgreSQL: ${noPostgres}`)
  rows.push(await slowRow(sqlite, 50, 0.9), await slowRow(sqlite, 500, 0.85))
  yield {
    name: "campaign",
    headings: ["rows are sent by", "requests", "compared with"],
    measured: ["rate"],
    rows
  }
  yield await millionRows()
}
