/**
 * All benchmarks, one after the other, or those that are named: `node bench/main.ts campaign mcp`. Prints each
 * table as it is made and writes them to docs/benchmarks.md. A target that is missed is shown there and
 * fails nothing.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { campaign } from "./campaign.ts"
import { installComparison } from "./comparison.ts"
import { decode } from "./decode.ts"
import { http } from "./http.ts"
import { machine } from "./machine.ts"
import { manyAtOnce } from "./many.ts"
import { mcp } from "./mcp.ts"
import { render, type Section } from "./report.ts"
import { size } from "./size.ts"
import { start } from "./start.ts"
import { wire } from "./wire.ts"

const intro = `# Benchmarks

Made by \`npx -y pnpm@12 bench\` in about ten minutes, or a part of it by its name, such as \`bench mcp\`; not written
by hand. This run: ${machine()}.

The contenders of a table alternate within one run; figures are medians of 15 rounds, and ratios are taken
round by round. Trust ratios to about ±15 %, and times only on this machine.
`

const benchmarks: Readonly<Record<string, () => Promise<Section | ReadonlyArray<Section>>>> = {
  wire,
  http,
  many: manyAtOnce,
  campaign,
  decode,
  size,
  start,
  mcp
}

const file = new URL("../docs/benchmarks.md", import.meta.url)

const run = async (name: string): Promise<ReadonlyArray<string>> => {
  const sections = [await benchmarks[name]?.()].flat()
  const texts = sections.flatMap((section) => (section === undefined ? [] : [render(section)]))
  for (const text of texts) console.log(text)
  return texts
}

/** The same document, with this section in the place of the one of its title. */
const withSection = (document: string, section: string): string => {
  const [title = ""] = section.split("\n", 1)
  const begin = document.indexOf(`${title}\n`)
  if (begin < 0) return `${document}\n${section}`
  const end = document.indexOf("\n## ", begin)
  return document.slice(0, begin) + section + (end < 0 ? "" : document.slice(end))
}

const named = process.argv.slice(2)
const missing = named.find((name) => !Object.hasOwn(benchmarks, name))
if (missing !== undefined) {
  console.error(`There is no benchmark ${missing}: give ${Object.keys(benchmarks).join(", ")}`)
  process.exit(2)
}

installComparison()

if (named.length === 0) {
  const parts = [intro]
  for (const name of Object.keys(benchmarks)) parts.push(...(await run(name)))
  writeFileSync(file, parts.join("\n"))
} else {
  for (const name of named) {
    for (const section of await run(name)) {
      writeFileSync(file, withSection(readFileSync(file, "utf8"), section))
    }
  }
}
