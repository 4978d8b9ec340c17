/**
 * The size that core adds to a bundle.
 */
import { bundleSizes } from "../scripts/bundleSize.ts"
import { atMost, type Table } from "./table.ts"

const maxAddedKilobytes = 11

export const size = async (): Promise<ReadonlyArray<Table>> => {
  const { coreAdded, promiseClient } = await bundleSizes()
  const core = [
    "`@messaging-topup/core` and `/fetch`: one send",
    "the same app, with Effect already"
  ]
  const promise = ["`@messaging-topup/core/promise`: `createClient`", "an empty bundle"]
  return [
    {
      name: "size",
      headings: ["import", "added to"],
      measured: ["gzip"],
      rows: [
        { labels: core, unit: "kB", target: atMost(maxAddedKilobytes), figures: [coreAdded] },
        { labels: promise, unit: "kB", figures: [promiseClient] }
      ]
    }
  ]
}
