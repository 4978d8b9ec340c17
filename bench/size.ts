/**
 * The size that core adds to a bundle.
 */
import { build } from "esbuild"
import { gzipSync } from "node:zlib"
import { atMost, type Table } from "./table.ts"

const maxAddedKilobytes = 11

/** The size of one bundle of these modules for browsers, in kilobytes, minified and compressed with gzip. */
const sizeOf = async (...modules: ReadonlyArray<string>): Promise<number> => {
  const { outputFiles } = await build({
    stdin: { contents: modules.join("\n"), resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2024",
    logLevel: "error"
  })
  const code = Buffer.concat(outputFiles.map(({ contents }) => contents))
  return gzipSync(code, { level: 9 }).length / 1000
}

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
