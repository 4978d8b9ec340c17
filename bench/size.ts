/**
 * The size that core adds to a bundle.
 */
import { gzipped } from "../scripts/support.ts"
import { atMost, figureRow, type Table } from "./table.ts"

const sizeOf = (...modules: ReadonlyArray<string>): Promise<number> =>
  gzipped(modules.join("\n"), import.meta.dirname)

const effectApp = 'export * from "./effectApp.ts"'
const core = `export { MessagingTopup } from "@messaging-topup/core"
  export { layer } from "@messaging-topup/core/fetch"`
const promise = 'export { createClient } from "@messaging-topup/core/promise"'

export const size = async function* (): AsyncGenerator<Table> {
  const added = (await sizeOf(effectApp, core)) - (await sizeOf(effectApp))
  const service = "the service of `@messaging-topup/core` on `/fetch`"
  const createClient = "`@messaging-topup/core/promise`: `createClient`"
  yield {
    name: "size",
    headings: ["import", "added to"],
    measured: ["gzip"],
    rows: [
      figureRow([service, "an app that has Effect already"], added, "kB", atMost(11)),
      figureRow([createClient, "an empty bundle"], await sizeOf(promise), "kB")
    ]
  }
}
