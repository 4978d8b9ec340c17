/**
 * The cost per call when thousands of calls are made at once.
 */
import * as Schema from "effect/Schema"
import { ask, withServer } from "./child.ts"
import { median } from "./measure.ts"
import type { Row, Sections } from "./report/results.ts"
import { atMost, row } from "./report/rows.ts"

const counts = [1, 10, 100, 1_000, 10_000]
/** The smallest count at which calls wait for a connection. */
const referenceCount = 1_000
const rounds = 5

const maxConnections = 100
const maxGrowth = 1.5

const Cost = Schema.Struct({
  micros: Schema.Finite,
  kibibytes: Schema.Finite,
  sockets: Schema.Int
})

const decode = Schema.decodeUnknownSync(Cost)

type Cost = typeof Cost.Type

type Costs = ReadonlyArray<Cost>

const middle = (costs: Costs, of: keyof Cost): number => median(costs.map((cost) => cost[of]))

const rowOf = (calls: number, costs: Costs, reference?: Costs): Row => {
  const time = middle(costs, "micros")
  const memory = middle(costs, "kibibytes")
  const values = {
    calls,
    time,
    // A few calls need less memory than a process allocates at a time.
    ...(calls < referenceCount ? {} : { memory }),
    connections: Math.max(...costs.map(({ sockets }) => sockets))
  }
  const target = atMost("connections", maxConnections)
  if (reference === undefined) return row({}, values, target)
  return row(
    {},
    {
      ...values,
      timeGrowth: time / middle(reference, "micros"),
      memoryGrowth: memory / middle(reference, "kibibytes")
    },
    target,
    atMost("timeGrowth", maxGrowth),
    atMost("memoryGrowth", maxGrowth)
  )
}

export const manyAtOnce = async (): Promise<Sections> =>
  withServer(new URL("server.ts", import.meta.url), async (url) => {
    const program = new URL("manyRun.ts", import.meta.url)
    const costsOf = new Map(counts.map((count) => [count, new Array<Cost>()]))
    for (let round = 0; round < rounds; round++) {
      for (const [calls, costs] of costsOf) {
        costs.push(decode(await ask(program, url, String(calls))))
      }
    }
    const reference = costsOf.get(referenceCount)
    return {
      many: {
        units: {
          calls: "count",
          time: "µs",
          memory: "KiB",
          connections: "connections",
          timeGrowth: "×",
          memoryGrowth: "×"
        },
        rows: [...costsOf].map(([calls, costs]) =>
          calls > referenceCount ? rowOf(calls, costs, reference) : rowOf(calls, costs)
        )
      }
    }
  })
