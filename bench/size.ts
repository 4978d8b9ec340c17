/**
 * What the entry points of core add to a bundle.
 */
import { build } from "esbuild"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { atMost, type Row, type Section, targetColumns, type Target, verdict } from "./report.ts"

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

/** These apps as one bundle for browsers. */
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

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1)

const cells = ({ gzipped, minified }: Size): Row => [kilobytes(minified), kilobytes(gzipped)]

const row = async (name: string, app: URL, target?: (added: Size) => Target): Promise<Row> => {
  const alone = await sizeOf(app)
  const host = await sizeOf(effectApp)
  const both = await sizeOf(effectApp, app)
  const added = { minified: both.minified - host.minified, gzipped: both.gzipped - host.gzipped }
  return [
    name,
    ...cells(alone),
    ...cells(added),
    ...(target === undefined ? verdict() : verdict(target(added)))
  ]
}

export const size = async (): Promise<Section> => ({
  title: "Size",
  text: `What an import adds to a bundle of esbuild for browsers, minified, in kB: to an empty app, and to
one that already has Effect ([bench/apps/effectApp.ts](../bench/apps/effectApp.ts): another API's client with
Effect, Layer, Context, Schema, Schedule and FetchHttpClient). \`/phone\` counts with libphonenumber-js and
its data. Of core's own size, Effect's loggers and metrics are about 1.9 kB gzip, which logs of defects and
telemetry need: that is where the target is not met.`,
  columns: ["import", "empty app, kB", "gzip, kB", "Effect app, kB", "gzip, kB", ...targetColumns],
  rows: [
    ["(the Effect app itself)", ...cells(await sizeOf(effectApp)), "", "", ...verdict()],
    await row("`@messaging-topup/core`: service, layer, `sendSms`", coreApp, ({ gzipped }) =>
      atMost(maxGzipBytes, gzipped, (limit) => `${limit / 1000} kB gzip`)
    ),
    await row("`@messaging-topup/core/promise`: `createClient`", promiseApp),
    await row("`@messaging-topup/core/phone`: `toE164`", phoneApp),
    await row("`@messaging-topup/core`: `SmsText.preview` alone", smsTextApp)
  ]
})
