/**
 * Runs all benchmarks, or those that are named: `node bench/main.ts campaign mcp`. Each replaces
 * its sections of bench/results.json. docs/benchmarks.md, its images and bench/tables.md are made from the whole
 * file. The document also shows missed targets: a missed target is not a failure.
 */
import { existsSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { versionHere } from "../scripts/support.ts"
import { call } from "./call.ts"
import { campaign } from "./campaign.ts"
import { decode } from "./decode.ts"
import { documentOf, tablesOf } from "./document.ts"
import { growth } from "./growth.ts"
import { mcp } from "./mcp.ts"
import { own } from "./own.ts"
import { comparedVersions, installComparison } from "./packages.ts"
import { drawPlots } from "./plots.ts"
import { readResults, type Results, resultsFile, type Sections } from "./results.ts"
import { size } from "./size.ts"
import { wire } from "./wire.ts"

const benchmarks: Readonly<Record<string, () => Promise<Sections>>> = {
  wire,
  call,
  campaign,
  growth,
  decode,
  own,
  size,
  mcp
}

const documentFile = new URL("../docs/benchmarks.md", import.meta.url)
const tablesFile = new URL("tables.md", import.meta.url)

const write = async (results: Results): Promise<void> => {
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(documentFile, documentOf(results))
  writeFileSync(tablesFile, tablesOf(results))
  await drawPlots(results)
}

const named = process.argv.slice(2)
const missing = named.find((name) => !Object.hasOwn(benchmarks, name))
if (missing !== undefined) {
  console.error(`There is no benchmark ${missing}: give ${Object.keys(benchmarks).join(", ")}`)
  process.exit(2)
}

installComparison()

const empty = (): Results => ({
  machine: {
    cores: availableParallelism(),
    platform: `${process.platform} ${process.arch}`,
    versions: {
      Node: process.versions.node,
      ...Object.fromEntries(
        ["effect", "undici", "esbuild"].map((name) => [name, versionHere(name)])
      ),
      ...comparedVersions()
    }
  },
  sections: {}
})

const results = named.length > 0 && existsSync(resultsFile) ? readResults() : empty()
const sections: Sections = { ...results.sections }
for (const name of named.length === 0 ? Object.keys(benchmarks) : named) {
  console.error(`${Math.floor(performance.now() / 1000)} s: ${name}`)
  Object.assign(sections, await benchmarks[name]?.())
  await write({ ...results, sections })
}
console.error("docs/benchmarks.md, its images and bench/tables.md are written")
