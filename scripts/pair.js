/** Imports two entries, and compares their error classes. `pairs.ts` runs this in a project, for each pair. */
import assert from "node:assert/strict"
import { createRequire } from "node:module"
import { workerData } from "node:worker_threads"

const { how, pair } = workerData
const require = createRequire(import.meta.url)
const load = (entry) => (how === "import" ? import(entry) : require(entry))

const [first, second] = pair
const earlier = await load(first)
const later = await load(second)
for (const [name, value] of Object.entries(earlier)) {
  if (value?.prototype instanceof Error && name in later) assert.equal(later[name], value, name)
}
