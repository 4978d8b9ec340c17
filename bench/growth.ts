/**
 * Time and memory per bundle and per row, by their number.
 */
import * as Schema from "effect/Schema"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ask, withServer } from "./child.ts"
import { median } from "./measure.ts"
import { progress } from "./progress.ts"
import type { Section, Sections } from "./report/results.ts"
import { atMost, row } from "./report/rows.ts"
import { bundles } from "./responses.ts"

/** From these numbers on, the fixed cost of a process is small. */
const referenceOfBundles = 10_000
const referenceOfRows = 100_000
const largestGrowth = 1.5

const bundleCounts = [10, 100, 1_000, 10_000, 100_000, 1_000_000]
const bundleRounds = 5
const rowCounts = [1_000, 10_000, 100_000, 1_000_000]

const mebibyte = 2 ** 20

const BundleCost = Schema.Struct({
  parseMicros: Schema.Finite,
  micros: Schema.Finite,
  bytes: Schema.Finite
})

const RowCost = Schema.Struct({
  seconds: Schema.Finite,
  residentBytes: Schema.Finite,
  diskBytes: Schema.Finite
})

interface Cost {
  readonly time: number
  readonly memory: number
}

/** The cost relative to the reference, and its targets. */
const growthOf = ({ memory, time }: Cost, reference: Cost | undefined) =>
  reference === undefined
    ? { values: {}, targets: [] }
    : {
        values: { timeGrowth: time / reference.time, memoryGrowth: memory / reference.memory },
        targets: [atMost("timeGrowth", largestGrowth), atMost("memoryGrowth", largestGrowth)]
      }

const bundleCost = async (folder: string, count: number) => {
  const file = join(folder, "response.json")
  writeFileSync(file, bundles(count))
  const costs = new Array<typeof BundleCost.Type>()
  for (let round = 0; round < bundleRounds; round++) {
    const reply = await ask(new URL("growthBundlesRun.ts", import.meta.url), file, String(count))
    costs.push(Schema.decodeUnknownSync(BundleCost)(reply))
  }
  return {
    parse: median(costs.map(({ parseMicros }) => parseMicros)),
    time: median(costs.map(({ micros }) => micros)),
    memory: median(costs.map(({ bytes }) => bytes)) / 1024
  }
}

const bundleSection = async (folder: string): Promise<Section> => {
  const costs = new Map<number, Awaited<ReturnType<typeof bundleCost>>>()
  for (const count of bundleCounts) {
    progress(`growth: ${count.toLocaleString("en")} bundles`)
    costs.set(count, await bundleCost(folder, count))
  }
  const rows = [...costs].map(([count, cost]) => {
    const reference = count > referenceOfBundles ? costs.get(referenceOfBundles) : undefined
    const { targets, values } = growthOf(cost, reference)
    return row({}, { bundles: count, ...cost, ...values }, ...targets)
  })
  const units = {
    bundles: "count",
    parse: "µs",
    time: "µs",
    memory: "KiB",
    timeGrowth: "×",
    memoryGrowth: "×"
  } as const
  return { units, rows }
}

const rowSection = async (url: string): Promise<Section> => {
  const costs = new Map<number, typeof RowCost.Type>()
  for (const count of rowCounts) {
    progress(`growth: ${count.toLocaleString("en")} rows of a campaign`)
    const reply = await ask(new URL("growthRowsRun.ts", import.meta.url), url, String(count))
    costs.set(count, Schema.decodeUnknownSync(RowCost)(reply))
  }
  const measured = [...costs].map(([count, { diskBytes, residentBytes, seconds }]) => ({
    count,
    seconds,
    time: (seconds * 1_000_000) / count,
    memory: residentBytes / mebibyte,
    disk: diskBytes / 1024 / count
  }))
  const reference = measured.find(({ count }) => count === referenceOfRows)
  const rows = measured.map(({ count, ...cost }) => {
    const { targets, values } = growthOf(cost, count > referenceOfRows ? reference : undefined)
    const memoryPerRow = (cost.memory * 1024) / count
    return row({}, { rows: count, ...cost, memoryPerRow, ...values }, ...targets)
  })
  const units = {
    rows: "count",
    seconds: "s",
    time: "µs",
    memory: "MiB",
    memoryPerRow: "KiB",
    disk: "KiB",
    timeGrowth: "×",
    memoryGrowth: "×"
  } as const
  return { units, rows }
}

export const growth = async (): Promise<Sections> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-growth-"))
  try {
    return {
      growthBundles: await bundleSection(folder),
      growthRows: await withServer(new URL("server.ts", import.meta.url), rowSection)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
