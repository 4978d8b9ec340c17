/** Imports the entries of the installed packages into one program, as ESM and as CommonJS. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { copyFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Worker } from "node:worker_threads"

const libraries = ["core", "journal", "sandbox"].map((name) => `@messaging-topup/${name}`)

/** The entries of a library that a program imports. */
const entriesOf = (project: string, library: string): ReadonlyArray<string> => {
  const manifest = readFileSync(join(project, "node_modules", library, "package.json"), "utf8")
  const { exports } = JSON.parse(manifest) as { readonly exports: object }
  return Object.keys(exports)
    .filter((entry) => !/\.json$|^\.\/internal/.test(entry))
    .map((entry) => join(library, entry))
}

/**
 * Each entry is imported alone, and all of them forwards and backwards: so every two are there in both orders. No module
 * imports itself in a circle, so which of the others are between them makes no difference. `require` runs the same
 * modules in the same order. Returns how many entries there are.
 */
export const importEntries = async (project: string): Promise<number> => {
  const file = join(project, "entries.mjs")
  copyFileSync(join(import.meta.dirname, "entries.js"), file)
  const entries = libraries.flatMap((library) => entriesOf(project, library))
  const all = [entries, entries.toReversed()]
  const orders = { import: [...entries.map((entry) => [entry]), ...all], require: all }
  for (const [how, lists] of Object.entries(orders)) {
    for (const order of lists) {
      const program = new Worker(file, { workerData: { how, entries: order } })
      await once(program, "exit").catch((error: unknown) =>
        assert.fail(`${how} ${order.join(", ")}: ${String(error)}`)
      )
    }
  }
  return entries.length
}
