/**
 * The rate of a campaign: what the journal costs, what a second process brings, and what slow responses and old
 * sends cost.
 */
import { join } from "node:path"
import { temporaryFolder } from "../scripts/support.ts"
import { noPostgres, startPostgres } from "../test/harness/journal/PostgresServer.ts"
import { type Program, start, startServer, stopAll } from "./child.ts"
import { alternate, compare, type Cost, costIn, median, shareOf } from "./measure.ts"
import { oldJournal } from "./oldJournal.ts"
import { atLeast, figureRow, rateCell, type Row, type Table } from "./table.ts"

interface Journal {
  readonly name: string
  readonly place: string
  /** The minimum rate, relative to the client without a journal. */
  readonly minRate: number
}

interface Sender {
  readonly name: string
  /** Empty if the rows are sent without a journal. */
  readonly journal: string
  /** How many processes share each campaign. */
  readonly processes: number
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

/** `atOnce` is the number of requests in flight in each process. */
const startProcesses = ({ journal, processes }: Sender, url: string, atOnce: number) => {
  const program = new URL("campaignRun.ts", import.meta.url)
  return Promise.all(Array.from({ length: processes }, () => start(program, url, atOnce, journal)))
}

/**
 * How rows are sent: the delay of the responses, and the rows of one campaign. A campaign begins with one request
 * in flight, so its rows are many times as many as requests in flight.
 */
const sendings = {
  /** Nothing takes time but the journal. */
  immediate: {
    name: "50 in flight, immediate responses",
    atOnce: 50,
    delayMillis: 0,
    rows: shareOf(5_000),
    rounds: 15
  },
  /** Processes share the rows in large parts, so there are many rows. */
  delayed: {
    name: "20 in flight each, responses after 20 ms",
    atOnce: 20,
    delayMillis: 20,
    rows: shareOf(20_000),
    rounds: 3
  }
}

/** The rate of a sender, relative to that of another one in the same run. */
const relativeRow = async (
  sending: keyof typeof sendings,
  [one, other]: readonly [Sender, Sender],
  minRate: number
): Promise<Row> => {
  const { atOnce, delayMillis, name, rounds, rows } = sendings[sending]
  const server = await startServer(delayMillis)
  const contenders = new Array<{ name: string; run: () => Promise<Cost> }>()
  const started = new Array<Program>()
  for (const sender of [one, other]) {
    const processes = await startProcesses(sender, server.url, atOnce)
    started.push(...processes)
    contenders.push({ name: sender.name, run: () => sendCampaign(processes, rows) })
  }
  const measured = await alternate(contenders, { rounds, warmUpRounds: 1 })
  await stopAll([...started, server])
  const rate = compare(
    measured,
    [other.name, one.name],
    (reference, { wall }) => reference.wall / wall
  )
  const wall = median(measured.map((round) => costIn(round, one.name).wall))
  const perSecond = rateCell(rows, wall)
  return figureRow([one.name, name, other.name], [rate], "×", atLeast(minRate), perSecond)
}

const journalRows = async ({ minRate, name, place }: Journal): Promise<ReadonlyArray<Row>> => {
  const bare = { name: "no journal", journal: "", processes: 1 }
  const one = { name: `one process, ${name}`, journal: place, processes: 1 }
  const two = { name: `two processes, ${name}`, journal: place, processes: 2 }
  return [
    await relativeRow("immediate", [one, bare], minRate),
    await relativeRow("delayed", [two, one], 1.8)
  ]
}

const usualMillis = 100
const slowMillis = 3_000
const slowShare = 0.01
/** At the end, nothing is left to send beside the last slow responses. In 40 s, that would cost a twentieth. */
const possibleSeconds = shareOf(100)

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
  const responses = `${atOnce} in flight, responses after 100 ms, 1 % after 3 s`
  const rate = (rows * 1_000_000) / wall / possibleRate
  const labels = [sender.name, responses, "the possible rate"]
  return figureRow(labels, [rate], "×", atLeast(minRate), rateCell(rows, wall))
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
  rows.push(await slowRow(sqlite, 50, 0.9), await slowRow(sqlite, 500, 0.8))
  yield {
    name: "campaign",
    headings: ["rows are sent by", "requests", "compared with"],
    measured: ["rate", "SMS a second"],
    rows
  }
  yield await oldJournal()
}
