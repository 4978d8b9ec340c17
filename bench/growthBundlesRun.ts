/**
 * Decodes one response in its own process: `growthBundlesRun.ts <file> <bundles>`. It reports the time per
 * bundle, the time of `JSON.parse` alone, and the heap per bundle.
 */
import { ListDataBundlesResponse } from "@messaging-topup/core"
import { enable } from "effect/schema/SchemaJITCompiler"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { timed } from "./measure.ts"
import { heapHeldBy } from "./memory.ts"
import { bundles } from "./responses.ts"

const [file = "", counted = ""] = process.argv.slice(2)
const count = Number(counted)

enable(ListDataBundlesResponse.ast)
const decode = Schema.decodeUnknownSync(ListDataBundlesResponse)

/** Runs until the JIT compiler has finished. */
const warmUp = bundles(100)
for (let round = 0; round < 2_000; round++) decode(JSON.parse(warmUp))

const json = readFileSync(file, "latin1")

const bytes = heapHeldBy(() => decode(JSON.parse(json)))
const repeats = Math.ceil(100_000 / count)

const microsOf = async (read: () => unknown): Promise<number> => {
  const { wall } = await timed(() => {
    for (let repeat = 0; repeat < repeats; repeat++) read()
    return Promise.resolve()
  })
  return wall / (count * repeats)
}

process.send?.({
  parseMicros: await microsOf(() => JSON.parse(json)),
  micros: await microsOf(() => decode(JSON.parse(json))),
  bytes: bytes / count
})
