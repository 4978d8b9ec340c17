/**
 * The size that the entry points of core add to a bundle.
 */
import { build } from "esbuild"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import type { Row, Sections } from "./report/results.ts"
import { atMost, row } from "./report/rows.ts"

interface Size {
  readonly minified: number
  readonly gzipped: number
}

const maxGzipBytes = 12_000

const effectApp = new URL("apps/effectApp.ts", import.meta.url)
const coreApp = new URL("apps/core.ts", import.meta.url)
const promiseApp = new URL("apps/promise.ts", import.meta.url)
const phoneApp = new URL("apps/phone.ts", import.meta.url)
const smsTextApp = new URL("apps/smsText.ts", import.meta.url)

/** The size of one bundle of these apps, for browsers. */
const sizeOf = async (...apps: ReadonlyArray<URL>): Promise<Size> => {
  const { outputFiles } = await build({
    stdin: {
      contents: apps.map((app) => `export * from ${JSON.stringify(fileURLToPath(app))}`).join("\n"),
      resolveDir: import.meta.dirname,
      loader: "ts"
    },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2024",
    logLevel: "error"
  })
  const code = Buffer.concat(outputFiles.map(({ contents }) => contents))
  return { minified: code.length, gzipped: gzipSync(code, { level: 9 }).length }
}

const kilobytes = (bytes: number): number => bytes / 1000

const aloneOf = ({ gzipped, minified }: Size) => ({
  alone: kilobytes(minified),
  aloneGzip: kilobytes(gzipped)
})

const rowOf = async (name: string, app: URL, maxGzip?: number): Promise<Row> => {
  const alone = await sizeOf(app)
  const host = await sizeOf(effectApp)
  const both = await sizeOf(effectApp, app)
  return row(
    { import: name },
    {
      ...aloneOf(alone),
      added: kilobytes(both.minified - host.minified),
      addedGzip: kilobytes(both.gzipped - host.gzipped)
    },
    ...(maxGzip === undefined ? [] : [atMost("addedGzip", maxGzip)])
  )
}

export const size = async (): Promise<Sections> => ({
  size: {
    units: { alone: "kB", aloneGzip: "kB", added: "kB", addedGzip: "kB" },
    rows: [
      row({ import: "(the Effect app itself)" }, aloneOf(await sizeOf(effectApp))),
      await rowOf(
        "`@messaging-topup/core`: service, layer, `sendSms`",
        coreApp,
        kilobytes(maxGzipBytes)
      ),
      await rowOf("`@messaging-topup/core/promise`: `createClient`", promiseApp),
      await rowOf("`@messaging-topup/core/phone`: `toE164`", phoneApp),
      await rowOf("`@messaging-topup/core`: `SmsText.preview` alone", smsTextApp)
    ]
  }
})
