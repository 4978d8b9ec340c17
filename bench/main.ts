/**
 * Runs all benchmarks, or those that are named, and prints their tables: `node bench/main.ts call mcp`.
 * With `--write`, it also writes them into docs/benchmarks.md. With `--short`, it only shows that
 * everything works. A missed target stands in the table, and is not a failure.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { bounded, readManifest } from "../scripts/support.ts"
import { call } from "./call.ts"
import { campaign } from "./campaign.ts"
import { crash } from "./crash.ts"
import { mcp } from "./mcp.ts"
import { million } from "./million.ts"
import { markdownOf, type Table, withPart } from "./table.ts"
import { wire } from "./wire.ts"

const benchmarks = new Map(Object.entries({ wire, crash, call, mcp, campaign, million }))

const document = new URL("../docs/benchmarks.md", import.meta.url)
const images = new URL("../docs/images/", import.meta.url)

const installed = ["effect", "undici", "@modelcontextprotocol/server"].map((name) => [
  name,
  readManifest(join(bounded.cwd, "node_modules", name, "package.json")).version
])

const machine = (): string => {
  const versions = [["Node", process.versions.node], ...installed].map((each) => each.join(" "))
  return `${availableParallelism()} cores (${process.platform} ${process.arch}), ${versions.join(", ")}.`
}

const write = (table: Table): void => {
  const before = withPart(readFileSync(document, "utf8"), "machine", machine())
  writeFileSync(document, withPart(before, table.name, markdownOf(table)))
  for (const [file, image] of table.images ?? []) writeFileSync(new URL(file, images), image)
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean" }, short: { type: "boolean" } }
})
const names = positionals.length === 0 ? [...benchmarks.keys()] : positionals
const missing = names.find((name) => !benchmarks.has(name))
if (missing !== undefined) {
  console.error(`There is no benchmark ${missing}: give ${[...benchmarks.keys()].join(", ")}`)
  process.exit(2)
}
if (values.short === true && values.write === true) {
  console.error("The figures of a short run say nothing: leave out --short or --write")
  process.exit(2)
}

for (const name of names) {
  console.error(`${Math.floor(performance.now() / 1000)} s: ${name}`)
  for await (const table of benchmarks.get(name)?.() ?? []) {
    console.log(`\n${table.name}\n\n${markdownOf(table)}\n`)
    if (values.write === true) write(table)
  }
}
