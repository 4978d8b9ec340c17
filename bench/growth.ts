/**
 * Time and memory per row of a campaign, by the number of rows.
 */
import * as Schema from "effect/Schema"
import { ask, withServer } from "./child.ts"
import { atMost, type Row, row, type Sections } from "./results.ts"

const counts = [1_000, 10_000, 100_000, 1_000_000]

/** From this number on, the fixed cost of a process is small. */
const referenceCount = 100_000
const largestGrowth = 1.5

const decodeCost = Schema.decodeUnknownSync(
  Schema.Struct({
    seconds: Schema.Finite,
    residentBytes: Schema.Finite,
    diskBytes: Schema.Finite
  })
)

const measure = async (url: string): Promise<ReadonlyArray<Row>> => {
  const costs = new Array<Row["values"] & Readonly<Record<"rows" | "time" | "memory", number>>>()
  for (const count of counts) {
    const reply = await ask(new URL("growthRun.ts", import.meta.url), url, String(count))
    const { diskBytes, residentBytes, seconds } = decodeCost(reply)
    costs.push({
      rows: count,
      seconds,
      time: (seconds * 1_000_000) / count,
      memory: residentBytes / 2 ** 20,
      memoryPerRow: residentBytes / 1024 / count,
      disk: diskBytes / 1024 / count
    })
  }
  const reference = costs.find(({ rows }) => rows === referenceCount)
  return costs.map((cost) => {
    if (reference === undefined || cost.rows <= referenceCount) return row({}, cost)
    const timeGrowth = cost.time / reference.time
    const memoryGrowth = cost.memory / reference.memory
    const targets = ["timeGrowth", "memoryGrowth"].map((of) => atMost(of, largestGrowth))
    return row({}, { ...cost, timeGrowth, memoryGrowth }, ...targets)
  })
}

export const growth = async (): Promise<Sections> => ({
  growth: {
    units: {
      rows: "count",
      seconds: "s",
      time: "µs",
      memory: "MiB",
      memoryPerRow: "KiB",
      disk: "KiB",
      timeGrowth: "×",
      memoryGrowth: "×"
    },
    rows: await withServer(new URL("server.ts", import.meta.url), measure)
  }
})
