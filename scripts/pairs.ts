/** Imports every two entries of the installed packages into one program, in both orders, as ESM and as CommonJS. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { copyFileSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
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

/** Returns how many pairs were imported. */
export const importPairs = async (project: string): Promise<number> => {
  const file = join(project, "pair.mjs")
  copyFileSync(join(import.meta.dirname, "pair.js"), file)
  const entries = libraries.flatMap((library) => entriesOf(project, library))
  const pairs = entries.flatMap((first) =>
    entries.filter((second) => second !== first).map((second) => [first, second])
  )
  const programs = ["import", "require"].flatMap((how) => pairs.map((pair) => ({ how, pair })))
  const failed: Array<string> = []
  // All share it, so that each program runs once.
  const left = programs.values()
  const runNext = async () => {
    for (const program of left) {
      await once(new Worker(file, { workerData: program }), "exit").catch((error: unknown) =>
        failed.push(`${program.how} ${program.pair.join(", ")}: ${String(error)}`)
      )
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, runNext))
  assert.deepEqual(failed, [])
  return pairs.length
}
