/**
 * The size that core adds to a bundle.
 */
import { gzipped } from "../scripts/support.ts"
import { atMost, type Table } from "./table.ts"

const maxAddedKilobytes = 11

const sizeOf = (...modules: ReadonlyArray<string>): Promise<number> =>
  gzipped(modules.join("\n"), import.meta.dirname)

const effectApp = 'export * from "./effectApp.ts"'
const core = `export { MessagingTopup } from "@messaging-topup/core"
  export { layer } from "@messaging-topup/core/fetch"`
const promise = 'export { createClient } from "@messaging-topup/core/promise"'

export const size = async function* (): AsyncGenerator<Table> {
  const added = (await sizeOf(effectApp, core)) - (await sizeOf(effectApp))
  yield {
    name: "size",
    headings: ["import", "added to"],
    measured: ["gzip"],
    rows: [
      {
        labels: [
          "the service of `@messaging-topup/core` on `/fetch`",
          "an app that has Effect already"
        ],
        unit: "kB",
        target: atMost(maxAddedKilobytes),
        figures: [added]
      },
      {
        labels: ["`@messaging-topup/core/promise`: `createClient`", "an empty bundle"],
        unit: "kB",
        figures: [await sizeOf(promise)]
      }
    ]
  }
}
