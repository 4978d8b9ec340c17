/**
 * Runs all benchmarks, or those that are named: `node bench/main.ts campaign mcp`. Each replaces
 * its sections of bench/results.json. docs/benchmarks.md and its images are made from the whole
 * file. The document also shows missed targets: a missed target is not a failure.
 */
import { existsSync, writeFileSync } from "node:fs"
import { campaign } from "./campaign.ts"
import { installComparison } from "./comparison.ts"
import { decode } from "./decode.ts"
import { growth } from "./growth.ts"
import { http } from "./http.ts"
import { machine } from "./machine.ts"
import { manyAtOnce } from "./many.ts"
import { mcp } from "./mcp.ts"
import { own } from "./own.ts"
import { drawPlots } from "./plots/draw.ts"
import { progress } from "./progress.ts"
import { documentOf } from "./report/document.ts"
import { readResults, type Results, resultsFile, type Sections } from "./report/results.ts"
import { size } from "./size.ts"
import { start } from "./start.ts"
import { wire } from "./wire.ts"

const benchmarks: Readonly<Record<string, () => Promise<Sections>>> = {
  wire,
  http,
  campaign,
  decode,
  many: manyAtOnce,
  growth,
  own,
  size,
  start,
  mcp
}

const documentFile = new URL("../docs/benchmarks.md", import.meta.url)

const write = async (results: Results): Promise<void> => {
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(documentFile, documentOf(results))
  await drawPlots(results)
}

const named = process.argv.slice(2)
const missing = named.find((name) => !Object.hasOwn(benchmarks, name))
if (missing !== undefined) {
  console.error(`There is no benchmark ${missing}: give ${Object.keys(benchmarks).join(", ")}`)
  process.exit(2)
}

progress("install the packages to compare with")
installComparison()

const empty: Results = { version: 1, machine: machine(), sections: {} }

const results = named.length > 0 && existsSync(resultsFile) ? readResults() : empty
const sections: Sections = { ...results.sections }
for (const name of named.length === 0 ? Object.keys(benchmarks) : named) {
  progress(name)
  Object.assign(sections, await benchmarks[name]?.())
  await write({ ...results, sections })
}
progress("docs/benchmarks.md and its images are written")
