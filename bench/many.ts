/**
 * What a call costs among thousands that are made at once.
 */
import * as Schema from "effect/Schema"
import { ask, withServer } from "./child.ts"
import { median } from "./measure.ts"
import { atMost, type Row, type Section, targetColumns, verdict } from "./report.ts"

const few = 1_000
const many = 10_000
const rounds = 5

const maxConnections = 100
const maxGrowth = 1.5

const Cost = Schema.Struct({
  micros: Schema.Finite,
  kibibytes: Schema.Finite,
  sockets: Schema.Int
})

const decode = Schema.decodeUnknownSync(Cost)

type Costs = ReadonlyArray<typeof Cost.Type>

const middle = (costs: Costs, of: keyof typeof Cost.Type): number =>
  median(costs.map((cost) => cost[of]))

const row = (name: string, costs: Costs, reference?: Costs): Row => {
  const micros = middle(costs, "micros")
  const sockets = Math.max(...costs.map((cost) => cost.sockets))
  return [
    name,
    micros.toFixed(0),
    middle(costs, "kibibytes").toFixed(1),
    String(sockets),
    ...verdict(
      atMost(maxConnections, sockets, (limit) => `${limit} connections`),
      ...(reference === undefined
        ? []
        : [
            atMost(
              maxGrowth,
              micros / middle(reference, "micros"),
              (limit) => `${limit}× the time`
            ),
            atMost(
              maxGrowth,
              middle(costs, "kibibytes") / middle(reference, "kibibytes"),
              (limit) => `${limit}× the memory`
            )
          ])
    )
  ]
}

export const manyAtOnce = async (): Promise<Section> =>
  withServer(new URL("server.ts", import.meta.url), async (url) => {
    const program = new URL("manyRun.ts", import.meta.url)
    const costsOf = new Map<number, Array<typeof Cost.Type>>([
      [few, []],
      [many, []]
    ])
    for (let round = 0; round < rounds; round++) {
      for (const [calls, costs] of costsOf) {
        costs.push(decode(await ask(program, url, String(calls))))
      }
    }
    const atFew = costsOf.get(few) ?? []
    return {
      title: "Many calls at once",
      text: `\`sendSms\` on \`/node\`, all calls started at once, in a fresh process: what one of them takes, what
it adds to the memory of the process at its peak, and the connections that stand. Of 10,000
calls at once most wait, and what waits takes memory: it grows with each, and goes with it.`,
      columns: ["at once", "µs a call", "KiB a call", "connections", ...targetColumns],
      rows: [
        row(few.toLocaleString("en"), atFew),
        row(many.toLocaleString("en"), costsOf.get(many) ?? [], atFew)
      ]
    }
  })
