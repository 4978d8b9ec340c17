/**
 * Times the decoding of a long list in this process, which has its schema compiled if the argument is
 * `compiled`: as core does where it is used on Node.
 */
import { ListDataBundlesResponse } from "@messaging-topup/core"
import { enable } from "effect/schema/SchemaJITCompiler"
import * as Schema from "effect/Schema"
import { alternate, timed } from "./measure.ts"

if (process.argv[2] === "compiled") enable(ListDataBundlesResponse.ast)

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
  run: () =>
    timed(() => {
      for (let repeat = 0; repeat < repeats; repeat++) run()
      return Promise.resolve()
    })
})

const timings = await alternate(
  [
    repeated("parse", (): unknown => JSON.parse(json)),
    repeated("decode", () => decode(JSON.parse(json)))
  ],
  { calls: repeats, turns: 8 }
)

process.send?.(timings)
