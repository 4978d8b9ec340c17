/**
 * How large the client is in a bundle for browsers.
 */
import { build } from "esbuild"
import { gzipSync } from "node:zlib"

/** Returns the size of one bundle of these modules, in kilobytes, minified and compressed with gzip. */
const gzippedSize = async (...modules: ReadonlyArray<string>): Promise<number> => {
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
const appWithCore = 'export * from "./appWithCore.ts"'
const promiseClient = 'export { createClient } from "@messaging-topup/core/promise"'

export const bundleSizes = async () => ({
  coreAdded: (await gzippedSize(effectApp, appWithCore)) - (await gzippedSize(effectApp)),
  promiseClient: await gzippedSize(promiseClient)
})
