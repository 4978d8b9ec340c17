/**
 * The cost of one decoded call, compared with the bare HTTP clients of Node and with well-known clients.
 */
import { startServer, stopAll } from "./child.ts"
import { bare, operations, ours } from "./clients.ts"
import { all, type Contender, installOthers, startClient } from "./contenders.ts"
import { alternate, type Cost, type Costs, joinedCosts, median, ratio, shareOf } from "./measure.ts"
import { plotOf } from "./plot.ts"
import { atMost, type Row, type Table } from "./table.ts"

/** The calls in one turn of a client. */
const calls = shareOf(1_000)

/** Until the JIT compiler has finished. */
const warmUpCalls = shareOf(10_000)

const timeoutMillis = 30_000

/** By how many calls are in flight at once: the maximum CPU time, relative to the bare clients. */
const targets = {
  1: { [bare.undici]: 1.25, [bare.fetch]: 0.5 },
  50: { [bare.undici]: 1.2, [bare.fetch]: 0.35 }
}

type AtOnce = keyof typeof targets
type Bare = (typeof bare)[keyof typeof bare]

const manyAtOnce = [1, 50] as const

/** The costs of each operation, in the order of `operations`. */
type Measured = Readonly<Record<AtOnce, ReadonlyArray<Costs>>>

/** Two processes of one program can differ by a fifth for as long as they run, so each client starts anew. */
const starts = 5

const rounds = 5

const measure = async (clients: ReadonlyArray<Contender>): Promise<Measured> => {
  const costs = async (workers: AtOnce): Promise<ReadonlyArray<Costs>> => {
    const measured = new Array<Costs>()
    for (const operation of operations) {
      const contenders = clients.map(({ ask, name }) => ({
        name,
        run: async () => (await ask({ operation, workers, calls })) as Cost
      }))
      measured.push(await alternate(contenders, { rounds, warmUpRounds: 1 }))
    }
    return measured
  }
  for (const workers of manyAtOnce) {
    for (const operation of operations) {
      for (const { ask } of clients) await ask({ operation, workers, calls: warmUpCalls })
    }
  }
  return { 1: await costs(1), 50: await costs(50) }
}

/** The rounds of all starts. */
const joined = (runs: ReadonlyArray<Measured>): Measured => {
  const of = (atOnce: AtOnce) =>
    operations.map((_, at) => joinedCosts(runs.flatMap((measured) => measured[atOnce][at] ?? [])))
  return { 1: of(1), 50: of(50) }
}

const rowsOf = (measured: Measured, atOnce: AtOnce): ReadonlyArray<Row> => {
  const row = (name: string, reference: Bare, limit?: number): Row => ({
    labels: [name, String(atOnce), reference],
    unit: "×",
    target: limit === undefined ? undefined : atMost(limit),
    figures: measured[atOnce].map((costs) => ratio(costs, name, reference, "processor"))
  })
  const { [bare.fetch]: toFetch, [bare.undici]: toUndici } = targets[atOnce]
  return [
    ...[ours.node, ours.promise].flatMap((name) => [
      row(name, bare.undici, toUndici),
      row(name, bare.fetch, toFetch)
    ]),
    row(ours.fetch, bare.fetch)
  ]
}

/** Draws the CPU time of a send. */
const draw = (measured: Measured): ReadonlyMap<string, string> => {
  const panels = manyAtOnce.map((atOnce) => {
    const costs = measured[atOnce][operations.indexOf("sendSms")]
    return {
      title: `sendSms, ${atOnce} at once, µs of CPU time`,
      bars: all.map((name) => ({
        name: name.replaceAll("`", ""),
        value: median((costs?.get(name) ?? []).map(({ processor }) => processor / calls)),
        isOurs: name.startsWith("core")
      }))
    }
  })
  return plotOf("call", panels)
}

export const call = async function* (): AsyncGenerator<Table> {
  installOthers()
  const server = await startServer()
  const measuredAtStarts = new Array<Measured>()
  while (measuredAtStarts.length < shareOf(starts)) {
    const clients = new Array<Contender>()
    for (const name of all) clients.push(await startClient(name, server.url, timeoutMillis))
    measuredAtStarts.push(await measure(clients))
    await stopAll(clients)
  }
  await stopAll([server])
  const measured = joined(measuredAtStarts)
  yield {
    name: "call",
    headings: ["client", "calls at once", "compared with"],
    measured: operations.map((operation) => `CPU time of \`${operation}\``),
    rows: manyAtOnce.flatMap((atOnce) => rowsOf(measured, atOnce)),
    images: draw(measured)
  }
}
