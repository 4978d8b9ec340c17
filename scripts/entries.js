/** Imports entries one after the other, and compares their error classes. `entries.ts` runs this in a project. */
import assert from "node:assert/strict"
import { createRequire } from "node:module"
import { workerData } from "node:worker_threads"

const { entries, how } = workerData
const require = createRequire(import.meta.url)
const load = (entry) => (how === "import" ? import(entry) : require(entry))

await entries.reduce(async (earlier, entry) => {
  const classes = await earlier
  for (const [name, value] of Object.entries(await load(entry))) {
    if (!(value?.prototype instanceof Error)) continue
    if (classes.has(name)) assert.equal(value, classes.get(name), `${name} of ${entry}`)
    classes.set(name, value)
  }
  return classes
}, Promise.resolve(new Map()))
