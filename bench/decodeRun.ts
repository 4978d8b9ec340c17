/**
 * Times the decoding of a long list in this process: compiling schemas is switched on for a whole
 * process, before it builds any. With the argument `compiled` it is.
 */
import * as Schema from "effect/Schema"
import { alternate } from "./measure.ts"

if (process.argv[2] === "compiled") await import("effect/schema/SchemaJITCompiler/enable")
const { ListDataBundlesResponse } = await import("@messaging-topup/core")

const bundle = (index: number) => ({
  bundle_id: `bundle-${index}`,
  name: `Data bundle ${index}`,
  price: `${index}.00`,
  data_amount: `${index} MB`,
  validity: "30 days"
})

const json = JSON.stringify({
  category: Array.from({ length: 10_000 }, (_, index) => bundle(index))
})

const decode = Schema.decodeUnknownSync(ListDataBundlesResponse)

const repeats = 2

const repeated = (name: string, run: () => unknown) => ({
  name,
  run: () => {
    for (let repeat = 0; repeat < repeats; repeat++) run()
    return Promise.resolve()
  }
})

const timings = await alternate(
  [
    repeated("parse", (): unknown => JSON.parse(json)),
    repeated("decode", () => decode(JSON.parse(json)))
  ],
  { calls: repeats, turns: 8 }
)

process.send?.(timings)
