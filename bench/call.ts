/**
 * The cost of one decoded call, compared with the bare HTTP clients of Node and with well-known clients.
 */
import { startServer, stopAll } from "./child.ts"
import { bare, operations, ours } from "./clients.ts"
import { all, type Contender, installOthers, others, startClient } from "./contenders.ts"
import { alternate, compare, type Cost, costIn, median, type Round, shareOf } from "./measure.ts"
import { plotOf } from "./plot.ts"
import { atMost, figureRow, rateCell, type Row, type Table } from "./table.ts"

/** The calls in one turn of a client. */
const calls = shareOf(1_000)

/** Until the JIT compiler has finished. */
const warmUpCalls = shareOf(10_000)

const timeoutMillis = 30_000

/** By how many calls are in flight at once: the maximum CPU time, relative to bare undici. */
const targets = [
  { workers: 1, toUndici: 1.25 },
  { workers: 50, toUndici: 1.2 }
]

/** What is measured in each start of the clients, and the rounds of all starts. */
const cases = targets.flatMap(({ workers }) =>
  operations.map((operation) => ({ operation, workers, rounds: new Array<Round>() }))
)

/** Two processes of one program can differ by a fifth for as long as they run, so each client starts anew. */
const starts = 5

const measure = async (clients: ReadonlyArray<Contender>): Promise<void> => {
  for (const { operation, rounds, workers } of cases) {
    const able = clients.filter(({ name }) => operation === "sendSms" || !others.includes(name))
    for (const { ask } of able) await ask({ operation, workers, calls: warmUpCalls })
    const contenders = able.map(({ ask, name }) => ({
      name,
      run: async () => (await ask({ operation, workers, calls })) as Cost
    }))
    rounds.push(...(await alternate(contenders, { rounds: 5, warmUpRounds: 1 })))
  }
}

const processorRatio = (cost: Cost, other: Cost) => cost.processor / other.processor

const rowsOf = ({ toUndici, workers }: (typeof targets)[number]): ReadonlyArray<Row> => {
  const measured = cases.filter((each) => each.workers === workers)
  const row = (name: string): Row => {
    const ratios = measured.map(({ rounds }) =>
      compare(rounds, [name, bare.undici], processorRatio)
    )
    const rates = measured.map(({ rounds }) =>
      rateCell(calls, median(rounds.map((round) => costIn(round, name).wall)))
    )
    return figureRow([name, String(workers)], ratios, "×", atMost(toUndici), ...rates)
  }
  return [row(ours.node), row(ours.promise)]
}

/** Draws the CPU time of a send. */
const draw = (): ReadonlyMap<string, string> => {
  const sends = cases.filter(({ operation }) => operation === "sendSms")
  const panels = sends.map(({ rounds, workers }) => ({
    title: `sendSms, ${workers} at once, µs of CPU time`,
    bars: all.map((name) => ({
      name: name.replaceAll("`", ""),
      value: median(rounds.map((round) => costIn(round, name).processor / calls)),
      isOurs: name.startsWith("core")
    }))
  }))
  return plotOf("call", panels)
}

export const call = async function* (): AsyncGenerator<Table> {
  installOthers()
  const server = await startServer()
  for (let start = 0; start < shareOf(starts); start++) {
    const clients = new Array<Contender>()
    for (const name of all) clients.push(await startClient(name, server.url, timeoutMillis))
    await measure(clients)
    await stopAll(clients)
  }
  await stopAll([server])
  yield {
    name: "call",
    headings: ["client", "calls at once"],
    measured: [
      ...operations.map((operation) => `CPU time of \`${operation}\``),
      ...operations.map((operation) => `\`${operation}\` a second`)
    ],
    rows: targets.flatMap(rowsOf),
    images: draw()
  }
}
