/**
 * The size that the entry points of core add to a bundle.
 */
import { build } from "esbuild"
import { gzipSync } from "node:zlib"
import { atMost, type Row, row, type Sections } from "./results.ts"

const maxGzipKilobytes = 12.6

/** An app that already uses Effect. */
const effectApp = 'export * from "./apps/effectApp.ts"'

const entries = {
  "`@messaging-topup/core`: service, layer, `sendSms`": 'export * from "./apps/core.ts"',
  "`@messaging-topup/core/promise`: `createClient`":
    'export { createClient } from "@messaging-topup/core/promise"',
  "`@messaging-topup/core`: `SmsText.preview` alone":
    'import { SmsText } from "@messaging-topup/core"; export const preview = SmsText.preview'
}

/** The size of one bundle of these modules for browsers, in kilobytes. */
const sizeOf = async (...modules: ReadonlyArray<string>) => {
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
  return { minified: code.length / 1000, gzipped: gzipSync(code, { level: 9 }).length / 1000 }
}

export const size = async (): Promise<Sections> => {
  const host = await sizeOf(effectApp)
  const hostRow = { alone: host.minified, aloneGzip: host.gzipped }
  const rows: Array<Row> = [row({ import: "(the Effect app itself)" }, hostRow)]
  for (const [name, module] of Object.entries(entries)) {
    const alone = await sizeOf(module)
    const both = await sizeOf(effectApp, module)
    const values = {
      alone: alone.minified,
      aloneGzip: alone.gzipped,
      added: both.minified - host.minified,
      addedGzip: both.gzipped - host.gzipped
    }
    const targets = name.includes("sendSms") ? [atMost("addedGzip", maxGzipKilobytes)] : []
    rows.push(row({ import: name }, values, ...targets))
  }
  return {
    size: { units: { alone: "kB", aloneGzip: "kB", added: "kB", addedGzip: "kB" }, rows }
  }
}
