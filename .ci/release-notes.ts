/** Prints the changes of this version. Each change is listed once, with its packages. */
import { globSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import core from "../packages/core/package.json" with { type: "json" }
import { bounded } from "./support.ts"

const packagesOf = new Map<string, Array<string>>()

for (const file of globSync("packages/*/CHANGELOG.md", { cwd: bounded.cwd }).toSorted()) {
  const sections = readFileSync(join(bounded.cwd, file), "utf8").split(/^## /m)
  const section = sections.find((text) => text.startsWith(`${core.version}\n`)) ?? ""
  // A change is a list item with its further lines. Updates of dependencies are left out.
  for (const [, change = ""] of section.matchAll(/^- (?:[0-9a-f]{7,}: )?(.*(?:\n(?!- |#).*)*)/gm)) {
    if (change.startsWith("Updated dependencies")) continue
    const names = packagesOf.get(change.trim()) ?? []
    packagesOf.set(change.trim(), [...names, basename(dirname(file))])
  }
}

if (packagesOf.size === 0) throw new Error(`No changelog has changes for ${core.version}`)
for (const [change, names] of packagesOf) console.log(`- **${names.join(", ")}**: ${change}`)
